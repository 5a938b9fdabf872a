package search_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/run/process"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/trace"
)

// The same with the real RWMutex, whose RLock reads a field on the way.
func TestRealReadersBehindWriter(t *testing.T) {
	const program = `package odd

import (
	"sync"
	"testing"
)

func TestAgain(t *testing.T) {
	var mu sync.RWMutex
	var wg sync.WaitGroup
	wg.Go(func() { mu.RLock(); mu.RLock(); mu.RUnlock(); mu.RUnlock() })
	wg.Go(func() { mu.Lock(); mu.Unlock() })
	wg.Wait()
}
`
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module odd\n\ngo 1.25\n", "odd_test.go": program} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	bin, err := instrument.NewBuilder(t.TempDir()).Control(ctx, instrument.Target{Dir: dir, ImportPath: "odd", Test: true, Entry: "TestAgain"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := process.New(bin, site.NewIndex(bin.Path))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	o := search.Run(ctx, p, 0, search.Options{Strategy: named(t, "explore", 1), Schedules: 60}, nil)
	if o.Status != search.Failing || o.Findings[0].Signature.Kind != trace.Deadlocked {
		t.Errorf("%s (%s) after %d, want a deadlock", o.Status, o.Reason, o.Schedules)
	}
}
