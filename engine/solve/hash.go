package solve

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"github.com/hocket-dev/hocket/engine/constraint"
)

// hasher writes systems and goals so that different ones have different texts:
// every list is preceded by its length. What is for people only is left out.
type hasher struct {
	h   hash.Hash
	w   *bufio.Writer
	buf [binary.MaxVarintLen64]byte
}

func newHasher() *hasher {
	h := sha256.New()
	return &hasher{h: h, w: bufio.NewWriterSize(h, 1<<12)}
}

func (h *hasher) sum() key {
	h.w.Flush()
	return key(h.h.Sum(nil))
}

func (h *hasher) bytes(b []byte) { h.w.Write(b) }

func (h *hasher) number(n int64) { h.w.Write(h.buf[:binary.PutVarint(h.buf[:], n)]) }

func (h *hasher) numbers(ns ...int64) {
	for _, n := range ns {
		h.number(n)
	}
}

func (h *hasher) truth(b bool) {
	n := int64(0)
	if b {
		n = 1
	}
	h.number(n)
}

func (h *hasher) text(s string) {
	h.number(int64(len(s)))
	h.w.WriteString(s)
}

func (h *hasher) system(sys *constraint.System) {
	h.numbers(int64(len(sys.Events)), int64(len(sys.Objects)), int64(len(sys.Threads)))
	for i := range sys.Events {
		e := &sys.Events[i]
		h.numbers(int64(e.Thread), int64(e.Prev), int64(e.Op), int64(e.Obj), int64(e.Outcome),
			e.Delta, int64(e.Partner), int64(e.Child), int64(e.At))
		h.truth(e.Pending)
		h.term(e.Val)
		h.terms(e.Cond)
		h.number(int64(len(e.Cases)))
		for _, c := range e.Cases {
			h.number(int64(c.Obj))
			h.truth(c.Send)
		}
	}
	for _, o := range sys.Objects {
		h.numbers(int64(o.Kind), int64(o.Cap), int64(o.Width))
		h.truth(o.Nil)
		h.value(o.Init)
	}
	for _, t := range sys.Threads {
		h.truth(t.Open)
	}
}

func (h *hasher) goal(g constraint.Goal) {
	h.events(g.Include)
	h.events(g.Stop)
	h.events(g.Blocked)
	h.truth(g.Stuck)
	h.number(int64(len(g.Order)))
	for _, d := range g.Order {
		h.numbers(int64(d.Before), int64(d.After))
	}
	h.terms(g.Cond)
}

func (h *hasher) events(all []constraint.EventID) {
	h.number(int64(len(all)))
	for _, e := range all {
		h.number(int64(e))
	}
}

func (h *hasher) clauses(all []constraint.Clause) {
	h.number(int64(len(all)))
	for _, c := range all {
		h.number(int64(len(c)))
		for _, l := range c {
			h.truth(l.From)
			h.truth(l.Neg)
			h.numbers(int64(l.A), int64(l.B))
		}
	}
}

func (h *hasher) terms(all []*constraint.Term) {
	h.number(int64(len(all)))
	for _, t := range all {
		h.term(t)
	}
}

func (h *hasher) term(t *constraint.Term) {
	h.truth(t != nil)
	if t == nil {
		return
	}
	h.numbers(int64(t.Op), int64(t.Width), int64(t.Event))
	h.value(t.Value)
	h.terms(t.Args)
}

func (h *hasher) value(v constraint.Value) { h.numbers(int64(v.Bits), int64(v.Fresh)) }
