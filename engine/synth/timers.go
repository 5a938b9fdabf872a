package synth

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/hocket-dev/hocket/engine/run/sim"
)

// Timers that send over a channel. As in a run of the program, virtual time passes when
// nobody else can run. Tickers, time.AfterFunc and the clock are not modelled.

// after is time.After and time.NewTimer.
func after(f *frame, fn *ssa.Function, args []value) value {
	d, ok := args[0].(int64)
	if !ok {
		f.notKnown(args[0])
	}
	f.beforeMain()
	f.skip()
	f.at()
	a := f.allocate(f.in, false)
	ch := &channel{c: f.g.t.NamedChan(sim.Object{Name: a.name + "+0", Type: "chan time.Time"}, 1), cap: 1}
	alarm := f.g.t.Alarm(duration(d), ch.c, f.carried(unknown{"the time of a timer"}))
	if fn.Name() == "After" {
		return ch
	}
	t := fn.Signature.Results().At(0).Type()
	v := zero(elem(t))
	s, ok := v.(structure)
	u, isStruct := elem(t).Underlying().(*types.Struct)
	if !ok || !isStruct || u.NumFields() == 0 || u.Field(0).Name() != "C" {
		panic(unmodelled{"time.NewTimer"})
	}
	s[0] = ch
	p := ptr{p: &v, in: a}
	f.e.syncs[cellKey{p.p, "alarm"}] = alarm
	return p
}

// timerCall is a method of time.Timer.
func timerCall(f *frame, fn *ssa.Function, args []value) value {
	p := f.pointer(args[0])
	a, ok := f.e.syncs[cellKey{p.p, "alarm"}].(*sim.Alarm)
	if !ok {
		panic(unmodelled{"a timer without a channel"})
	}
	f.skip()
	switch fn.Name() {
	case "Stop":
		return f.g.t.StopAlarm(a)
	case "Reset":
		if d, ok := args[1].(int64); ok {
			return f.g.t.ResetAlarm(a, duration(d))
		}
	}
	panic(unmodelled{"time.Timer." + fn.Name()})
}
