package retrace

import (
	"strings"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/engine/tracedb"
)

// Recorded is a run as far as its paths tell it.
type Recorded struct {
	paths map[uint64][]uint64 // outcomes of branches of each goroutine, by trace.Goroutine.Key
	torn  bool                // a path may have gone on
	crash bool                // the program ended in the middle
	seed  uint64
}

// Of reads a run.
func Of(r *tracedb.Run) *Recorded {
	out := &Recorded{paths: map[uint64][]uint64{}, torn: r.Torn, seed: r.Seed, crash: strings.HasPrefix(r.Failure, "panic: ") || strings.HasPrefix(r.Failure, "fatal error: ") || strings.HasPrefix(r.Failure, "exit status ")}
	for _, t := range r.Threads {
		if key, ok := trace.KeyOfPath(t.Name); ok && len(t.Tokens) > 0 {
			out.paths[key] = t.Tokens
		}
	}
	return out
}

// Size is how many goroutines have paths, and how many outcomes of branches these have.
func (r *Recorded) Size() (goroutines, branches int) {
	for _, p := range r.paths {
		branches += len(p)
	}
	return len(r.paths), branches
}

// way is how far a goroutine of a run kept to its recorded path.
type way struct {
	kept int    // outcomes of branches
	left bool   // it took another one then
	at   uint32 // switch points that it had passed
}

// compare says how far each goroutine kept to its path. A goroutine that goes on where its
// path ends has left it, unless the path may have gone on.
func (r *Recorded) compare(res *run.Result) (ways map[uint64]*way, first *run.Taken) {
	ways = map[uint64]*way{}
	for i := range res.Taken {
		b := &res.Taken[i]
		w := ways[b.G]
		if w == nil {
			w = &way{}
			ways[b.G] = w
		}
		path := r.paths[b.G]
		switch {
		case w.left:
		case w.kept < len(path) && path[w.kept] == uint64(b.Outcome):
			w.kept++
		case w.kept == len(path) && r.torn:
		default:
			w.left, w.at = true, b.Count
			if first == nil {
				first = b
			}
		}
	}
	return ways, first
}
