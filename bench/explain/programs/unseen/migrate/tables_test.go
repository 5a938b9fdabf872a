package migrate

import (
	"sync"
	"testing"
)

func TestMigrate(t *testing.T) {
	tables := Open()
	var wg sync.WaitGroup
	keys := []string{"a", "b"}
	for _, k := range keys {
		wg.Go(func() { tables.put(k) })
	}
	wg.Go(tables.move)
	wg.Wait()
	for _, k := range keys {
		if !tables.has(k) {
			t.Fatalf("%s is missing", k)
		}
	}
}
