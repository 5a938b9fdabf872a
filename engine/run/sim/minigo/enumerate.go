package minigo

import (
	"fmt"
	"strings"
)

// Behaviour is all that a program can do.
type Behaviour struct {
	Histories []map[uint64]bool // by thread: all that it can have, complete or not
	Failures  map[string]bool   // "panic: ...", "fatal error: ...", "deadlock", "leak"
	// Ends are how runs end: the failure or "", and of runs that end by
	// themselves the last history of each thread, 0 if it can't end.
	Ends   map[string]bool
	States int
}

// End formats a member of Behaviour.Ends.
func End(failure string, last []uint64) string {
	if strings.HasPrefix(failure, "panic") || strings.HasPrefix(failure, "fatal") {
		return failure
	}
	return fmt.Sprintf("%s %x", failure, last)
}

// Enumerate tries everything, each state once; nil if there are more states
// than limit.
func Enumerate(p *Program, limit int) *Behaviour {
	e := &enumerator{p: p, seen: map[string]bool{}, b: &Behaviour{Failures: map[string]bool{}, Ends: map[string]bool{}}}
	for _, body := range p.Threads {
		e.code = append(e.code, compile(body))
		e.b.Histories = append(e.b.Histories, map[uint64]bool{start: true})
	}
	todo := []*state{e.initial()}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if k := s.key(); e.seen[k] {
			continue
		} else {
			e.seen[k] = true
		}
		if len(e.seen) > limit {
			return nil
		}
		next, moves := e.successors(s)
		if moves == 0 {
			e.stuck(s)
		}
		todo = append(todo, next...)
	}
	e.b.States = len(e.seen)
	return e.b
}

type enumerator struct {
	p    *Program
	code []code
	seen map[string]bool
	b    *Behaviour
}

func (e *enumerator) initial() *state {
	p := e.p
	s := &state{
		threads: make([]thread, len(p.Threads)), plain: make([]int, p.Plain), atomic: make([]int, p.Atomics),
		mutex: make([]bool, p.Mutexes), rw: make([]rwlock, p.RWMutexes), wg: make([]group, p.WaitGroups),
		cond: make([]cond, len(p.Conds)), once: make([]once, p.Onces), channel: make([]channel, len(p.Chans)),
	}
	for i := range s.threads {
		s.threads[i].h = start
	}
	s.threads[0].mode = late
	return s
}

// successors are the states after one more operation, of which there are moves;
// a failing one is noted.
func (e *enumerator) successors(s *state) (next []*state, moves int) {
	for t := range s.threads {
		for choice := range e.choices(s, t) {
			moves++
			n := s.clone()
			e.perform(n, t, choice)
			e.settle(n, t)
			e.settleOthers(n, t)
			e.note(n)
			if n.failure != "" {
				e.b.Failures[n.failure] = true
				e.b.Ends[End(n.failure, nil)] = true
				continue
			}
			next = append(next, n)
		}
	}
	return next, moves
}

// note adds the histories of a state.
func (e *enumerator) note(s *state) {
	for t := range s.threads {
		e.b.Histories[t][s.threads[t].h] = true
	}
}

// stuck is where nothing can happen any more.
func (e *enumerator) stuck(s *state) {
	failure := ""
	last := make([]uint64, len(s.threads))
	for t, th := range s.threads {
		switch th.mode {
		case over:
			last[t] = th.h
		case unborn:
		default:
			failure = "leak"
		}
	}
	if s.threads[0].mode != over {
		failure = "deadlock"
	}
	if failure != "" {
		e.b.Failures[failure] = true
	}
	e.b.Ends[End(failure, last)] = true
}

// settle runs t's local steps up to its next operation on something shared.
func (e *enumerator) settle(s *state, t int) {
	th := &s.threads[t]
	for th.mode == ready && s.failure == "" {
		i := e.code[t][th.pc]
		switch {
		case i.jump:
			th.pc = i.to
		case i.ended:
			return
		case i.Op == Return:
			th.mode = over
		case i.Op == If:
			th.pc++
			if !i.Cond.holds(&th.l) {
				th.pc = i.to
			}
		case i.Op == Assert:
			th.pc++
			if !i.Cond.holds(&th.l) {
				s.failure = fmt.Sprintf("panic: assert %d", i.ID)
			}
		case i.Op == Go && th.phase == 0: // the switch point comes after it
			th.phase = 1
			s.threads[i.Obj].mode = ready
			e.settleOther(s, i.Obj)
		default:
			return
		}
	}
}

// settleOthers does so for those that t has started or woken. One that would
// panic at once is still to be run: others may go first.
func (e *enumerator) settleOthers(s *state, t int) {
	for u := range s.threads {
		if u != t && s.failure == "" {
			e.settleOther(s, u)
		}
	}
}

func (e *enumerator) settleOther(s *state, u int) {
	before := s.threads[u]
	if e.settle(s, u); s.failure != "" {
		s.failure = ""
		before.mode = late
		s.threads[u] = before
	}
}

// choices says in how many ways t can go on.
func (e *enumerator) choices(s *state, t int) int {
	th := &s.threads[t]
	switch th.mode {
	case unborn, over, parked:
		return 0
	case woken, late:
		return 1
	}
	i := e.code[t][th.pc]
	can := true
	switch i.Op {
	case Lock:
		can = !s.mutex[i.Obj]
	case WLock: // first it keeps others out, then it waits for the readers
		if l := &s.rw[i.Obj]; th.phase == 0 {
			can = !l.writer
		} else {
			can = l.readers == 0
		}
	case RLock:
		can = !s.rw[i.Obj].writer
	case OnceDo:
		o := &s.once[i.Obj]
		can = i.ended || o.done || !o.running
	case CondWait:
		c := &s.cond[i.Obj]
		switch th.phase {
		case 2:
			can = th.ticket < c.called
		case 3:
			can = !s.mutex[e.p.Conds[i.Obj]]
		}
	case Select:
		return max(1, len(e.readyCases(s, i.Stmt)))
	}
	return bit(can)
}
