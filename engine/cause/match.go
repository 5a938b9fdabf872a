package cause

import (
	"hash/maphash"

	"github.com/hocket-dev/hocket/engine/trace"
)

// Matching pairs the events of two runs of one program. -1 means that the other run
// has no such event.
type Matching struct {
	To     []int // by event of the first
	From   []int // by event of the second
	Common int   // pairs
}

// Match pairs the events of goroutines with the same path: a longest common
// subsequence by operation, call stack and object, of the events for which counts is
// true.
func Match(a, b *trace.Trace, counts func(trace.Op) bool) *Matching {
	return newSigner(a, counts).match(newSigner(b, counts))
}

// seed makes equal things hash equally in all traces of the process.
var seed = maphash.MakeSeed()

// signer gives the events of a trace signatures that mean the same in every run.
type signer struct {
	t       *trace.Trace
	byPath  map[string][]int // events that count, by goroutine
	sigs    []uint64         // by event
	stacks  []uint64
	objects []uint64
}

func newSigner(t *trace.Trace, counts func(trace.Op) bool) *signer {
	s := &signer{t: t, byPath: map[string][]int{}, sigs: make([]uint64, len(t.Events)),
		stacks: make([]uint64, len(t.Stacks)), objects: make([]uint64, len(t.Objects))}
	for i := range t.Stacks {
		s.stacks[i] = stackHash(t.Stacks[i])
	}
	for i := range t.Objects {
		s.objects[i] = maphash.String(seed, t.Objects[i].Name)
	}
	rw := readLocked(t)
	for i := range t.Events {
		e := &t.Events[i]
		if !counts(e.Op) && !waitsToWrite(e, rw) || int(e.G) >= len(t.Goroutines) || e.G == 0 {
			continue
		}
		path := t.Goroutines[e.G].Path
		s.byPath[path] = append(s.byPath[path], i)
		s.sigs[i] = mix(mix(uint64(e.Op)+1, at(s.stacks, int(e.Stack))), at(s.objects, int(e.Obj)))
	}
	return s
}

// readLocked are the locks that are taken for reading.
func readLocked(t *trace.Trace) map[trace.ObjID]bool {
	out := map[trace.ObjID]bool{}
	for i := range t.Events {
		if t.Events[i].Op == trace.OpRLock {
			out[t.Events[i].Obj] = true
		}
	}
	return out
}

// waitsToWrite is true of a wait that matters by itself: a writer that waits for the
// readers of its lock keeps further readers out.
func waitsToWrite(e *trace.Event, rw map[trace.ObjID]bool) bool {
	return e.Op == trace.OpBlock && trace.Op(e.Aux&0xffffffff) == trace.OpLock && rw[e.Obj]
}

func at(list []uint64, i int) uint64 {
	if i < len(list) {
		return list[i]
	}
	return 0
}

func mix(a, b uint64) uint64 {
	a ^= b + 0x9e3779b97f4a7c15 + a<<6 + a>>2
	return a * 0xff51afd7ed558ccd
}

func stackHash(st []trace.Frame) uint64 {
	h := uint64(len(st))
	for _, f := range st {
		h = mix(mix(h, maphash.String(seed, f.File)), uint64(f.Line))
	}
	return h
}

func (s *signer) match(o *signer) *Matching {
	m := &Matching{To: filled(len(s.t.Events)), From: filled(len(o.t.Events))}
	for path, mine := range s.byPath {
		theirs := o.byPath[path]
		if len(theirs) == 0 {
			continue
		}
		for _, p := range lcs(s.of(mine), o.of(theirs)) {
			m.To[mine[p[0]]], m.From[theirs[p[1]]] = theirs[p[1]], mine[p[0]]
			m.Common++
		}
	}
	return m
}

func (s *signer) of(events []int) []uint64 {
	out := make([]uint64, len(events))
	for i, e := range events {
		out[i] = s.sigs[e]
	}
	return out
}

func filled(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = -1
	}
	return s
}
