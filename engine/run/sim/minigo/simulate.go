package minigo

import (
	"context"
	"fmt"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Seen is what one run did.
type Seen struct {
	Histories []map[uint64]bool // by thread: all that it had
	Last      []uint64          // by thread: at its end; 0 if it did not end
	Outcome   trace.Outcome
}

// Hot are the places of all plain accesses, for trace.Schedule.Hot.
func (p *Program) Hot() (sites []string) {
	p.Walk(func(s *Stmt) {
		if s.Op == Read || s.Op == Write {
			sites = append(sites, sim.Site(int(s.ID)))
		}
	})
	return sites
}

// Runner runs the program through sim. It is a run.Runner; safe for
// concurrent use unless Saw or Decide is not. The program must be numbered.
type Runner struct {
	Program *Program
	Decide  *sim.Decider
	Saw     func(run.Spec, *Seen) // after each run
}

// Run implements run.Runner.
func (r *Runner) Run(ctx context.Context, spec run.Spec) (*run.Result, error) {
	seen := &Seen{Last: make([]uint64, len(r.Program.Threads))}
	for range r.Program.Threads {
		seen.Histories = append(seen.Histories, map[uint64]bool{start: true})
	}
	one := sim.New(func(t *sim.Thread) { r.Program.main(t, seen) })
	one.Decide = r.Decide
	res, err := one.Run(ctx, spec)
	if err == nil && r.Saw != nil {
		seen.Outcome = res.Outcome
		r.Saw(spec, seen)
	}
	return res, err
}

// shared are the objects of one run.
type shared struct {
	p       *Program
	seen    *Seen
	code    []code
	plain   []*sim.Int
	atomic  []*sim.Int
	mutex   []*sim.Mutex
	rw      []*sim.RWMutex
	wg      []*sim.WaitGroup
	cond    []*sim.Cond
	once    []*sim.Once
	channel []*sim.Chan
}

func (p *Program) main(t *sim.Thread, seen *Seen) {
	w := &shared{p: p, seen: seen}
	line := 1000
	each := func(n int, make func(i int)) {
		for i := range n {
			line++
			t.At("main.program", "program.go", line)
			make(i)
		}
	}
	each(p.Plain, func(int) { w.plain = append(w.plain, t.Int()) })
	each(p.Atomics, func(int) { w.atomic = append(w.atomic, t.Int()) })
	each(p.Mutexes, func(int) { w.mutex = append(w.mutex, t.Mutex()) })
	each(p.RWMutexes, func(int) { w.rw = append(w.rw, t.RWMutex()) })
	each(p.WaitGroups, func(int) { w.wg = append(w.wg, t.WaitGroup(0)) })
	each(len(p.Conds), func(int) { w.cond = append(w.cond, t.Cond()) })
	each(p.Onces, func(int) { w.once = append(w.once, t.Once()) })
	each(len(p.Chans), func(i int) {
		var c *sim.Chan
		if p.Chans[i] >= 0 {
			c = t.Chan(p.Chans[i])
		}
		w.channel = append(w.channel, c)
	})
	for _, body := range p.Threads {
		w.code = append(w.code, compile(body))
	}
	w.thread(t, 0)
}

// player is one thread of a run.
type player struct {
	*shared
	t *sim.Thread
	n int
	l [locals]int
	h uint64
}

func (w *shared) thread(t *sim.Thread, n int) {
	p := &player{shared: w, t: t, n: n, h: start}
	p.play(0)
	w.seen.Last[n] = p.h
}

// saw folds a value into the history.
func (p *player) saw(s *Stmt, v int) {
	p.h = history(p.h, s.ID, v)
	p.seen.Histories[p.n][p.h] = true
}

// play runs from instruction at on to the thread's end, or to the end of a
// once's function.
func (p *player) play(at int) {
	for {
		i := p.code[p.n][at]
		at++
		p.t.At(fmt.Sprintf("main.program.func%d", p.n), "program.go", i.ID)
		switch {
		case i.jump:
			at = i.to
		case i.ended, i.Op == Return:
			return
		case i.Op == If:
			if !i.Cond.holds(&p.l) {
				at = i.to
			}
		case i.Op == OnceDo:
			p.t.Do(p.once[i.Obj], func() { p.play(at) })
			p.saw(i.Stmt, 0)
			at = i.to
		case i.Op == Select:
			at = p.choose(i)
		case i.Op == TryLock || i.Op == TryWLock || i.Op == TryRLock:
			ok := p.try(i.Stmt)
			p.saw(i.Stmt, bit(ok))
			if !ok {
				at = i.to
			}
		default:
			p.step(i.Stmt)
		}
	}
}

func (p *player) try(s *Stmt) bool {
	switch s.Op {
	case TryLock:
		return p.t.TryLock(p.mutex[s.Obj])
	case TryWLock:
		return p.t.TryWLock(p.rw[s.Obj])
	default:
		return p.t.TryRLock(p.rw[s.Obj])
	}
}

func (p *player) choose(i instr) int {
	cases := make([]sim.Case, len(i.Cases))
	for n, k := range i.Cases {
		cases[n] = sim.RecvCase(p.channel[k.Chan])
		if k.Send {
			cases[n] = sim.SendCase(p.channel[k.Chan], k.Val.eval(&p.l))
		}
	}
	which, v, ok := p.t.Select(i.Default, cases...)
	if which < 0 {
		p.saw(i.Stmt, -1)
		return i.to
	}
	value := 0
	if k := i.Cases[which]; !k.Send {
		p.l[k.Dst] = v
		value = got(v, ok)
	}
	p.saw(i.Stmt, value*4+which)
	return i.cases[which]
}

// step performs a statement without control flow.
func (p *player) step(s *Stmt) {
	t, x := p.t, s.Val.eval(&p.l)
	v := 0
	switch s.Op {
	case Read:
		v = t.Read(p.plain[s.Obj])
		p.l[s.Dst] = v
	case Write:
		t.Write(p.plain[s.Obj], x)
	case Load:
		v = t.Load(p.atomic[s.Obj])
		p.l[s.Dst] = v
	case Store:
		t.Store(p.atomic[s.Obj], x)
	case Add:
		v = t.Add(p.atomic[s.Obj], x)
		p.l[s.Dst] = v
	case Swap:
		v = t.Swap(p.atomic[s.Obj], x)
		p.l[s.Dst] = v
	case CAS:
		v = bit(t.CAS(p.atomic[s.Obj], s.Old.eval(&p.l), x))
		p.l[s.Dst] = v
	case Send:
		t.Send(p.channel[s.Obj], x)
	case Recv:
		x, ok := t.Recv(p.channel[s.Obj])
		p.l[s.Dst] = x
		v = got(x, ok)
	case Close:
		t.Close(p.channel[s.Obj])
	case Len:
		v = t.Len(p.channel[s.Obj])
		p.l[s.Dst] = v
	case Assert:
		if !s.Cond.holds(&p.l) {
			t.Panic("assert %d", s.ID)
		}
		return
	case Go:
		t.Go(func(t *sim.Thread) { p.thread(t, s.Obj) })
	case Yield:
		t.Yield()
	default:
		p.sync(s)
	}
	p.saw(s, v)
}

func (p *player) sync(s *Stmt) {
	t := p.t
	switch s.Op {
	case Lock:
		t.Lock(p.mutex[s.Obj])
	case Unlock:
		t.Unlock(p.mutex[s.Obj])
	case WLock:
		t.WLock(p.rw[s.Obj])
	case WUnlock:
		t.WUnlock(p.rw[s.Obj])
	case RLock:
		t.RLock(p.rw[s.Obj])
	case RUnlock:
		t.RUnlock(p.rw[s.Obj])
	case WGAdd:
		t.WGAdd(p.wg[s.Obj], s.N)
	case WGDone:
		t.Done(p.wg[s.Obj])
	case WGWait:
		t.Join(p.wg[s.Obj])
	case CondWait:
		t.Wait(p.cond[s.Obj], p.mutex[p.p.Conds[s.Obj]])
	case Signal:
		t.Signal(p.cond[s.Obj])
	case Broadcast:
		t.Broadcast(p.cond[s.Obj])
	}
}
