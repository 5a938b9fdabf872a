package synth

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/hocket-dev/hocket/engine/run/sim"
)

// channel carries numbers of values in execution.sent.
type channel struct {
	c   *sim.Chan
	cap int
}

func (c *channel) sim() *sim.Chan {
	if c == nil {
		return nil
	}
	return c.c
}

func (f *frame) makeChan(in *ssa.MakeChan) value {
	n := f.number(in.Size, 0)
	if n < 0 {
		f.runtimeError("makechan: size out of range")
	}
	f.at()
	t := in.Type().Underlying().(*types.Chan).Elem()
	return &channel{c: f.g.t.NamedChan(sim.Object{Name: f.allocate(in, false).name + "+0", Type: "chan " + t.String()}, n), cap: n}
}

func (f *frame) channelOf(v value) *channel {
	c, ok := v.(*channel)
	if !ok {
		f.notKnown(v)
	}
	return c
}

// carried gives a value a number.
func (f *frame) carried(v value) int {
	f.e.sent = append(f.e.sent, copied(v))
	return len(f.e.sent) - 1
}

func (f *frame) send(c, v value) {
	ch := f.channelOf(c)
	f.beforeMain()
	f.at()
	f.g.t.Send(ch.sim(), f.carried(v))
}

func (f *frame) receive(c value, commaOk bool, t types.Type) value {
	ch := f.channelOf(c)
	f.beforeMain()
	f.at()
	n, ok := f.g.t.Recv(ch.sim())
	v := f.taken(n, ok, t.Underlying().(*types.Chan).Elem())
	if commaOk {
		return tuple{v, ok}
	}
	return v
}

func (f *frame) taken(n int, ok bool, t types.Type) value {
	if !ok {
		return zero(t)
	}
	return copied(f.e.sent[n])
}

func (f *frame) close(c value) {
	ch := f.channelOf(c)
	if f.g.quiet > 0 && ch != nil {
		f.g.t.CloseEarly(ch.sim())
		return
	}
	f.at()
	f.g.t.Close(ch.sim())
}

func (f *frame) channelLen(c *channel) value {
	f.at()
	return int64(f.g.t.Len(c.sim()))
}

// beforeMain ends what waits where nobody else runs.
func (f *frame) beforeMain() {
	if f.g.quiet > 0 {
		panic(unmodelled{"synchronisation before main"})
	}
}

func (f *frame) selects(in *ssa.Select) value {
	f.beforeMain()
	var cases []sim.Case
	for _, s := range in.States {
		ch := f.channelOf(f.get(s.Chan))
		if s.Dir == types.SendOnly {
			cases = append(cases, sim.SendCase(ch.sim(), f.carried(f.get(s.Send))))
		} else {
			cases = append(cases, sim.RecvCase(ch.sim()))
		}
	}
	f.at()
	which, n, ok := -1, 0, false
	if len(cases) > 0 || in.Blocking {
		which, n, ok = f.g.t.Select(!in.Blocking, cases...)
	}
	out := tuple{int64(which), ok}
	for i, s := range in.States {
		if s.Dir == types.SendOnly {
			continue
		}
		t := s.Chan.Type().Underlying().(*types.Chan).Elem()
		if i == which {
			out = append(out, f.taken(n, ok, t))
		} else {
			out = append(out, zero(t))
		}
	}
	return out
}
