package settings

import (
	"fmt"
	"math/rand"
	"sync"
	"testing"
)

func TestVersions(t *testing.T) {
	s := New(func() map[string]int64 {
		m := map[string]int64{}
		for i := range 300 {
			m[fmt.Sprint("name", i)] = 1
		}
		return m
	})
	var wg sync.WaitGroup
	wg.Go(func() {
		for v := range int64(4) {
			if rand.Intn(80) == 0 {
				s.Reset(v + 2)
			} else {
				s.Set("name7", v+2)
			}
		}
	})
	wg.Go(func() {
		for range 60 {
			value, version := s.Get("name7")
			if value < version {
				t.Error("a setting is older than its version")
				return
			}
			for range 5000 {
				value++
			}
		}
	})
	wg.Wait()
}
