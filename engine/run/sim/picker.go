package sim

import (
	"math/rand/v2"
	"slices"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// picker chooses the thread that runs next. pick gets the runnable threads in
// order of creation, at least one.
type picker interface {
	pick(runnable []*Thread) *Thread
	performed(t *Thread, o *op)
}

func newPicker(m *machine) picker {
	then := newStrategy(m)
	if then == nil || len(m.spec.Schedule.Segments) > 0 && m.decide == nil {
		return &segments{m: m, left: m.spec.Schedule.Segments, then: then}
	}
	return then
}

// newStrategy is nil for the default rule.
func newStrategy(m *machine) picker {
	rng := rand.New(rand.NewPCG(m.spec.Seed, 3))
	switch m.spec.Strategy {
	case run.Random:
		return &randomWalk{rng}
	case run.POS:
		return &pos{rng: rng, pri: map[trace.GID]uint64{}}
	case run.PCT:
		return newPCT(m, rng)
	}
	if m.decide != nil {
		return decided{m.decide}
	}
	return nil
}

// segments plays a schedule, then goes on as then does, or by the default rule.
type segments struct {
	m    *machine
	left []trace.Segment
	used bool // the first of left has run
	then picker
}

func (p *segments) pick(runnable []*Thread) *Thread {
	if len(runnable) == 1 {
		p.alone(runnable[0])
		return runnable[0]
	}
	for ; len(p.left) > 0; p.left = p.left[1:] {
		s := p.left[0]
		if t := find(runnable, s.G); t != nil {
			over := p.used && t.parked // and was woken before anybody ran
			p.used = true
			if !over && (t.count < s.Until || t.count == s.Until && !t.at) {
				return t
			}
		}
		if !p.used {
			p.m.diverged = true
		}
		p.used = false
	}
	if p.then != nil {
		return p.then.pick(runnable)
	}
	return p.orElse(runnable)
}

// alone: where there is no choice the present segment ends if it was another
// thread's, and t's own has begun.
func (p *segments) alone(t *Thread) {
	t.parked = t.parked && t != p.m.running
	for ; len(p.left) > 0; p.left = p.left[1:] {
		if p.left[0].G == t.key {
			p.used = true
			return
		}
		if !p.used {
			return
		}
		p.used = false
	}
}

// orElse is the default rule: stay; one that yields lets the next go; else
// the one created first.
func (p *segments) orElse(runnable []*Thread) *Thread {
	for i, t := range runnable {
		switch {
		case t != p.m.running || !t.at:
		case t.pending.kind == trace.OpGosched:
			return runnable[(i+1)%len(runnable)]
		default:
			return t
		}
	}
	return runnable[0]
}

func (p *segments) performed(t *Thread, o *op) {
	if p.then != nil {
		p.then.performed(t, o)
	}
}

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
		if u != t && u.at && u.pending.touches(o) && (o.write || u.pending.write) {
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
	if best.at && best.pending.kind == trace.OpGosched { // a spinner must not starve the rest
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

// touches reports whether two operations are on a common object.
func (o *op) touches(p *op) bool {
	mine := append(o.others, o.obj)
	for _, x := range append(p.others, p.obj) {
		if x != nil && slices.Contains(mine, x) {
			return true
		}
	}
	return false
}

// Decider takes all decisions of a run in place of a schedule, for tests that
// try every schedule. Next gets the keys of the threads that can run, in order
// of creation, Select the number of ready cases; both return an index.
type Decider struct {
	Next   func(runnable []uint64) int
	Select func(ready int) int
}

type decided struct{ *Decider }

func (d decided) pick(runnable []*Thread) *Thread {
	keys := make([]uint64, len(runnable))
	for i, t := range runnable {
		keys[i] = t.key
	}
	return runnable[d.Next(keys)]
}

func (d decided) performed(*Thread, *op) {}
