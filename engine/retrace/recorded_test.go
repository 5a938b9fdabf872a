package retrace

import (
	"testing"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/engine/tracedb"
)

func recorded(torn bool, failure string, main, child []uint64) *Recorded {
	return Of(&tracedb.Run{Torn: torn, Failure: failure, Threads: []tracedb.Thread{{Name: "0", Tokens: main}, {Name: "0.1", Tokens: child}, {Name: "t.1", Tokens: []uint64{9}}}})
}

func key(t *testing.T, name string) uint64 {
	t.Helper()
	k, ok := trace.KeyOfPath(name)
	if !ok {
		t.Fatal(name)
	}
	return k
}

// A goroutine has left its path where an outcome is another one, and where it goes on
// behind the end, unless the path was cut.
func TestCompare(t *testing.T) {
	main, child := key(t, "0"), key(t, "0.1")
	took := func(g uint64, outcome, count uint32) run.Taken {
		return run.Taken{G: g, Outcome: outcome, Count: count}
	}
	same := []run.Taken{took(main, 1, 3), took(child, 4, 1), took(main, 2, 5)}
	for name, c := range map[string]struct {
		torn  bool
		taken []run.Taken
		kept  int
		paths int
		left  map[uint64]uint32
		first uint64
	}{
		"same":            {taken: same, kept: 3, paths: 2},
		"shorter":         {taken: same[:2], kept: 2, paths: 1},
		"another outcome": {taken: []run.Taken{took(child, 5, 7), took(main, 1, 3), took(main, 3, 4), took(main, 2, 6)}, kept: 1, left: map[uint64]uint32{main: 4, child: 7}, first: child},
		"goes on":         {taken: append(same[:3:3], took(child, 4, 9)), kept: 3, paths: 1, left: map[uint64]uint32{child: 9}, first: child},
		"goes on, torn":   {torn: true, taken: append(same[:3:3], took(child, 4, 9)), kept: 3, paths: 2},
		"a stranger":      {taken: append(same[:3:3], took(77, 1, 2)), kept: 3, paths: 2, left: map[uint64]uint32{77: 2}, first: 77},
	} {
		t.Run(name, func(t *testing.T) {
			r := recorded(c.torn, "", []uint64{1, 2}, []uint64{4})
			res := &run.Result{Taken: c.taken}
			a := r.attempt(res)
			if a.Kept != c.kept || a.Paths != c.paths {
				t.Errorf("kept %d, %d paths; want %d, %d", a.Kept, a.Paths, c.kept, c.paths)
			}
			left, kept := r.Left(res)
			if kept != c.kept || len(left) != len(c.left) {
				t.Errorf("left %v, kept %d; want %v", left, kept, c.left)
			}
			for g, at := range c.left {
				if left[g] != at {
					t.Errorf("goroutine %x left at %d, want %d", g, left[g], at)
				}
			}
			if (a.first == nil) != (c.first == 0) || a.first != nil && a.first.G != c.first {
				t.Errorf("the first to leave is %+v, want %x", a.first, c.first)
			}
		})
	}
}

// An attempt that follows another does so until the first goroutine had left its path.
func TestBeginning(t *testing.T) {
	s := trace.Schedule{Segments: []trace.Segment{{G: 1, Until: 3}, {G: 2, Until: 4}, {G: 1, Until: 7, Timer: true}, {G: 1, Until: 9}, {G: 2, Until: 8}}}
	for _, c := range []struct {
		at   *run.Taken
		want int
	}{{nil, 0}, {&run.Taken{G: 1, Count: 3}, 0}, {&run.Taken{G: 1, Count: 5}, 3}, {&run.Taken{G: 2, Count: 5}, 4}, {&run.Taken{G: 3, Count: 1}, 0}} {
		if got := beginning(s, c.at); len(got) != c.want {
			t.Errorf("%+v: %d segments, want %d", c.at, len(got), c.want)
		}
	}
}
