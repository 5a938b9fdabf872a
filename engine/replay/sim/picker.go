package sim

import (
	"math/rand/v2"

	"github.com/hocket-dev/hocket/engine/replay"
	"github.com/hocket-dev/hocket/engine/trace"
)

// picker chooses who runs next. pick gets the runnable threads in order of
// creation, never none.
type picker interface {
	pick(runnable []*Thread) *Thread
	performed(t *Thread, o *op)
}

func newPicker(m *machine) picker {
	rng := rand.New(rand.NewPCG(m.spec.Seed, 3))
	switch m.spec.Strategy {
	case replay.Random:
		return &randomWalk{rng}
	case replay.POS:
		return &pos{rng: rng, pri: map[trace.GID]uint64{}}
	case replay.PCT:
		return newPCT(m, rng)
	default:
		return &segments{m: m, left: m.spec.Schedule.Segments}
	}
}

// segments plays a schedule, then the default rule.
type segments struct {
	m    *machine
	left []trace.Segment
	used bool // the first of left has run
}

func (p *segments) pick(runnable []*Thread) *Thread {
	for len(p.left) > 0 {
		s := p.left[0]
		t := find(runnable, s.G)
		if t != nil && t.count < s.Until {
			p.used = true
			return t
		}
		if t == nil && !p.used {
			p.m.diverged = true
		}
		p.left, p.used = p.left[1:], false
	}
	if r := p.m.running; r != nil && r.canRun() && r.pending.kind != trace.OpGosched {
		return r
	}
	return p.others(runnable)
}

// others is the thread created first that is not the running one, if any.
func (p *segments) others(runnable []*Thread) *Thread {
	for _, t := range runnable {
		if t != p.m.running {
			return t
		}
	}
	return runnable[0]
}

func (p *segments) performed(*Thread, *op) {}

func find(ts []*Thread, key uint64) *Thread {
	for _, t := range ts {
		if t.key == key {
			return t
		}
	}
	return nil
}

type randomWalk struct{ rng *rand.Rand }

func (p *randomWalk) pick(r []*Thread) *Thread { return r[p.rng.IntN(len(r))] }
func (p *randomWalk) performed(*Thread, *op)   {}

// pos is partial order sampling (Yuan et al., CAV 2018): each pending
// operation has a random priority, drawn again for those that conflict with
// the operation just performed.
type pos struct {
	rng *rand.Rand
	pri map[trace.GID]uint64
	all []*Thread
}

func (p *pos) pick(runnable []*Thread) *Thread {
	p.all = runnable
	var best *Thread
	for _, t := range runnable {
		if p.pri[t.id] == 0 {
			p.pri[t.id] = p.rng.Uint64() | 1
		}
		if best == nil || p.pri[t.id] > p.pri[best.id] {
			best = t
		}
	}
	return best
}

func (p *pos) performed(t *Thread, o *op) {
	p.pri[t.id] = 0
	for _, u := range p.all {
		if u != t && u.pending != nil && o.obj != nil && u.pending.obj == o.obj && (o.write || u.pending.write) {
			p.pri[u.id] = 0
		}
	}
}

// pct runs the thread of highest priority and lowers it at Depth random
// steps (Burckhardt et al., ASPLOS 2010).
type pct struct {
	m      *machine
	rng    *rand.Rand
	pri    map[trace.GID]int
	change map[int]int // step -> new priority
}

func newPCT(m *machine, rng *rand.Rand) *pct {
	p := &pct{m: m, rng: rng, pri: map[trace.GID]int{}, change: map[int]int{}}
	for i := range m.spec.Depth {
		p.change[1+rng.IntN(max(m.spec.Length, 1))] = -1 - i
	}
	return p
}

func (p *pct) pick(runnable []*Thread) *Thread {
	for _, t := range runnable {
		if _, ok := p.pri[t.id]; !ok {
			p.pri[t.id] = 1 + p.rng.IntN(1<<30)
		}
	}
	best := p.best(runnable)
	if low, ok := p.change[p.m.steps+1]; ok {
		delete(p.change, p.m.steps+1)
		p.pri[best.id] = low
		best = p.best(runnable)
	}
	if best.pending.kind == trace.OpGosched { // a spinner must not starve the rest
		p.pri[best.id] = -100 - p.m.steps
	}
	return best
}

func (p *pct) best(runnable []*Thread) *Thread {
	best := runnable[0]
	for _, t := range runnable[1:] {
		if p.pri[t.id] > p.pri[best.id] {
			best = t
		}
	}
	return best
}

func (p *pct) performed(*Thread, *op) {}
