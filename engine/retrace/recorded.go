package retrace

import (
	"strconv"
	"strings"

	"github.com/hocket-dev/hocket/engine/run"
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
		if key, ok := keyOf(t.Name); ok && len(t.Tokens) > 0 {
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

// keyOf is the trace.Goroutine.Key of a goroutine by its name, as the runtime computes
// it: "0" is main, "0.2" its second child, "0.t2.1" what its second timer started first.
// It is false if the name does not tell the ancestry.
func keyOf(name string) (key uint64, ok bool) {
	parts := strings.Split(name, ".")
	if parts[0] != "0" {
		return 0, false
	}
	key = child(0x9E3779B97F4A7C15, 0)
	timer := false
	for _, part := range parts[1:] {
		digits, isTimer := strings.CutPrefix(part, "t")
		n, err := strconv.ParseUint(digits, 10, 31)
		if err != nil || timer && isTimer {
			return 0, false
		}
		switch {
		case isTimer:
			key = mix(key ^ n<<32)
		case timer:
			key = child(key, 1<<31|uint32(n))
		default:
			key = child(key, uint32(n))
		}
		timer = isTimer
	}
	return key, !timer
}

func child(parent uint64, index uint32) uint64 {
	return mix(parent ^ mix(uint64(index)+0x632be59bd9b4e019))
}

func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
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
