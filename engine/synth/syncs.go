package synth

import (
	"fmt"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/hocket-dev/hocket/engine/run/sim"
)

// handler does what a function of the standard library does.
type handler func(f *frame, fn *ssa.Function, args []value) value

// known is what is done in place of a function; nil: it is executed, or opaque.
func known(name string) handler {
	if h, ok := handlers[name]; ok {
		return h
	}
	if strings.HasSuffix(name, ".init") {
		return nil
	}
	if strings.HasPrefix(name, "(*sync/atomic.") || strings.HasPrefix(name, "sync/atomic.") {
		return atomics
	}
	if strings.HasPrefix(name, "(*testing.common).") || strings.HasPrefix(name, "(*testing.T).") {
		return testingCall
	}
	switch {
	case strings.HasPrefix(name, "(*sync.Map)."):
		return syncMap
	case name == "(*sync.Pool).Get" || name == "(*sync.Pool).Put":
		return syncPool
	}
	if h := purely(name); h != nil {
		return h
	}
	return native(name)
}

var handlers map[string]handler

func init() {
	handlers = map[string]handler{
		"(*sync.Mutex).Lock":      lockOp((*sim.Thread).Lock),
		"(*sync.Mutex).Unlock":    lockOp((*sim.Thread).Unlock),
		"(*sync.Mutex).TryLock":   tryLock,
		"(*sync.RWMutex).Lock":    rwOp((*sim.Thread).WLock),
		"(*sync.RWMutex).Unlock":  rwOp((*sim.Thread).WUnlock),
		"(*sync.RWMutex).RLock":   rwOp((*sim.Thread).RLock),
		"(*sync.RWMutex).RUnlock": rwOp((*sim.Thread).RUnlock),
		"(*sync.RWMutex).TryLock": rwTry((*sim.Thread).TryWLock), "(*sync.RWMutex).TryRLock": rwTry((*sim.Thread).TryRLock),
		"(*sync.WaitGroup).Add":  wgAdd,
		"(*sync.WaitGroup).Done": wgDone,
		"(*sync.WaitGroup).Wait": wgWait,
		"(*sync.WaitGroup).Go":   wgGo,
		"(*sync.Once).Do":        onceDo,
		"sync.NewCond":           newCond,
		"(*sync.Cond).Wait":      condWait,
		"(*sync.Cond).Signal":    condCall((*sim.Thread).Signal),
		"(*sync.Cond).Broadcast": condCall((*sim.Thread).Broadcast),
		"runtime.Gosched": func(f *frame, _ *ssa.Function, _ []value) value {
			f.at()
			f.g.t.Yield()
			return nil
		},
		"runtime.Goexit": func(*frame, *ssa.Function, []value) value { panic(goexit{}) },
		"time.Sleep":     sleep,
		"time.After":     after, "time.NewTimer": after,
		"(*time.Timer).Stop": timerCall, "(*time.Timer).Reset": timerCall,
		"os.Exit": exit,
	}
}

// object finds the synchronisation object at a pointer.
func object[T any](f *frame, v value, make func(sim.Object) T) T {
	p := f.pointer(v)
	f.beforeMain()
	f.at()
	k := cellKey{p.p, "sync"}
	if o, ok := f.e.syncs[k]; ok {
		return o.(T)
	}
	o := make(sim.Object{Name: fmt.Sprintf("%s+%d", p.in.name, p.off)})
	f.e.syncs[k] = o
	return o
}

func lockOp(op func(*sim.Thread, *sim.Mutex)) handler {
	return func(f *frame, _ *ssa.Function, args []value) value {
		op(f.g.t, object(f, args[0], f.g.t.NamedMutex))
		return nil
	}
}

func tryLock(f *frame, _ *ssa.Function, args []value) value {
	return f.g.t.TryLock(object(f, args[0], f.g.t.NamedMutex))
}

func rwOp(op func(*sim.Thread, *sim.RWMutex)) handler {
	return func(f *frame, _ *ssa.Function, args []value) value {
		op(f.g.t, object(f, args[0], f.g.t.NamedRWMutex))
		return nil
	}
}

func rwTry(op func(*sim.Thread, *sim.RWMutex) bool) handler {
	return func(f *frame, _ *ssa.Function, args []value) value {
		return op(f.g.t, object(f, args[0], f.g.t.NamedRWMutex))
	}
}

func wgAdd(f *frame, _ *ssa.Function, args []value) value {
	n, ok := args[1].(int64)
	if !ok {
		f.notKnown(args[1])
	}
	f.g.t.WGAdd(object(f, args[0], f.g.t.NamedWaitGroup), int(n))
	return nil
}

func wgDone(f *frame, _ *ssa.Function, args []value) value {
	f.g.t.Done(object(f, args[0], f.g.t.NamedWaitGroup))
	return nil
}

func wgWait(f *frame, _ *ssa.Function, args []value) value {
	f.g.t.Join(object(f, args[0], f.g.t.NamedWaitGroup))
	return nil
}

// wgGo is Add, a go statement, and Done when the function has returned.
func wgGo(f *frame, fn *ssa.Function, args []value) value {
	wgAdd(f, fn, []value{args[0], int64(1)})
	c, ok := args[1].(*closure)
	if !ok || c == nil {
		f.notKnown(args[1])
	}
	in := f.in
	f.at()
	f.spawn(func(g *frame) {
		g.in = in
		g.run1(callee{fn: c.fn, env: c.env, does: c.does}, nil, nil)
		wgDone(g, fn, args)
	})
	return nil
}

func onceDo(f *frame, _ *ssa.Function, args []value) value {
	c, ok := args[1].(*closure)
	if !ok || c == nil {
		f.notKnown(args[1])
	}
	t := f.g.t
	o := object(f, args[0], func(o sim.Object) *sim.Once {
		lock := o
		lock.Name += ".m"
		o.Type, o.Elem, o.Size = "sync.Once", "struct", 12
		return t.NamedOnce(o, lock)
	})
	t.Do(o, func() { f.run1(callee{fn: c.fn, env: c.env, does: c.does}, nil, nil) })
	return nil
}

// newCond keeps the lock in the first field that sync.Cond has for it.
func newCond(f *frame, fn *ssa.Function, args []value) value {
	t := fn.Signature.Results().At(0).Type()
	v := zero(elem(t))
	p := ptr{p: &v, in: f.allocate(f.in, false)}
	*f.condLock(p) = args[0]
	return p
}

func (f *frame) condLock(p ptr) *value {
	s, ok := (*p.p).(structure)
	if !ok || len(s) < 2 {
		f.notKnown(*p.p)
	}
	return &s[1] // noCopy, L
}

func condWait(f *frame, _ *ssa.Function, args []value) value {
	p := f.pointer(args[0])
	l, ok := (*f.condLock(p)).(iface)
	if !ok || l.t == nil || !strings.HasSuffix(l.t.String(), "sync.Mutex") {
		panic(unmodelled{"a sync.Cond whose lock is no sync.Mutex"})
	}
	m := object(f, l.v, f.g.t.NamedMutex)
	c := object(f, ptr{p.p, p.in, p.off + 16}, f.g.t.NamedCond)
	f.g.t.Wait(c, m)
	return nil
}

func condCall(op func(*sim.Thread, *sim.Cond)) handler {
	return func(f *frame, _ *ssa.Function, args []value) value {
		p := f.pointer(args[0])
		op(f.g.t, object(f, ptr{p.p, p.in, p.off + 16}, f.g.t.NamedCond))
		return nil
	}
}

func sleep(f *frame, _ *ssa.Function, args []value) value {
	d, ok := args[0].(int64)
	if !ok {
		f.notKnown(args[0])
	}
	f.at()
	f.g.t.Sleep(duration(d))
	return nil
}

// exit ends the program: a failure, unless the code is 0.
func exit(f *frame, _ *ssa.Function, args []value) value {
	f.at()
	if n, ok := args[0].(int64); !ok || n != 0 {
		f.g.t.Panic("exit")
	}
	panic(unmodelled{"os.Exit(0)"})
}
