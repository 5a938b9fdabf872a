package process_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/process"
	"github.com/hocket-dev/hocket/engine/site"
)

// A run tells that the order of a map's elements was drawn: not of one element,
// and not for what the testing package does around the program.
func TestInputsAreCounted(t *testing.T) {
	const program = `package odd

import "testing"

var m = map[int]int{}

func loop(n int) {
	for i := range n {
		m[i] = i
	}
	for range m {
	}
}

func TestNone(t *testing.T) { loop(0) }
func TestOne(t *testing.T)  { loop(1) }
func TestMany(t *testing.T) { loop(3) }
`
	wants := map[string]int{"TestNone": 0, "TestOne": 0, "TestMany": 1}
	for entry, p := range programEntries(t, program, "TestNone", "TestOne", "TestMany") {
		want := wants[entry]
		for _, record := range []run.Record{run.Light, run.Every} {
			r, err := p.Run(context.Background(), run.Spec{Strategy: run.Replay, Record: record})
			if err != nil {
				t.Fatal(err)
			}
			if r.Inputs != want {
				t.Errorf("%s, record %v: %d inputs, want %d", entry, record, r.Inputs, want)
			}
		}
	}
}

// programEntries builds a test file as the module odd and returns a runner for
// each of its tests named.
func programEntries(t *testing.T, program string, entries ...string) map[string]*process.Runner {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module odd\n\ngo 1.25\n", "odd_test.go": program} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	bin, err := instrument.NewBuilder(t.TempDir()).Control(context.Background(), instrument.Target{Dir: dir, ImportPath: "odd", Test: true})
	if err != nil {
		t.Fatal(err)
	}
	runners := map[string]*process.Runner{}
	for _, entry := range entries {
		mine := *bin
		mine.Target.Entry = entry
		p, err := process.New(&mine, site.NewIndex(mine.Path))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Close() })
		runners[entry] = p
	}
	return runners
}
