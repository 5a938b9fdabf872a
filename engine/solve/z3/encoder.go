package z3

import (
	"context"
	"errors"
	"fmt"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve/z3/libz3"
)

type (
	term    = libz3.Term
	eventID = constraint.EventID
)

// encoder writes a system and what is asked of it as assertions of a Z3 solver.
type encoder struct {
	*libz3.Context
	solver *libz3.Solver
	sys    *constraint.System
	tree   *tree
	end    eventID

	ctx      context.Context // of the present check: formulas take time
	maxTerms int
	err      error // the first

	yes, no term
	pos     []term // per event, and of the end
	zero    value

	// What has been asserted once is not asserted again, within a scope: the
	// trail says what a Pop forgets.
	done      map[fact]value
	trail     []fact
	instances []instance
	fresh     map[constraint.Value]uint64 // identities
	mayFresh  []bool                      // per object: it may hold fresh values
	scopes    []scope
}

// fact is something asserted or made once.
type fact struct {
	what what
	a, b eventID
}

type what uint8

const (
	order    what = iota // that a is at a lower position than b: the term of it
	distinct             // positions of a and b differ if both happen
	symbol               // the value of a is what it takes
	meeting              // what it is that a and b meet
	matching             // whom the receives of object a take from
	tickets              // whom the signals of object a call
)

type scope struct{ mark, trail, instances int }

var errTooLarge = errors.New("the system is too large to be written out for Z3")

func newEncoder(ctx context.Context, sys *constraint.System, o Options) (*encoder, error) {
	c, err := libz3.NewContext()
	if err != nil {
		return nil, err
	}
	s, err := c.NewSolver(libz3.Params{Seed: o.Seed, Arith: o.Arith})
	if err != nil {
		c.Close()
		return nil, err
	}
	n := &encoder{
		Context: c, solver: s, sys: sys, tree: newTree(sys), end: sys.End(), ctx: ctx, maxTerms: o.MaxTerms,
		done: map[fact]value{}, fresh: map[constraint.Value]uint64{}, mayFresh: mayFresh(sys),
	}
	n.yes, n.no = n.Bool(true), n.Bool(false)
	n.zero = value{bits: n.BitsOf(0, 64)}
	for e := range n.end + 1 {
		n.pos = append(n.pos, n.Const(fmt.Sprintf("pos%d", e), n.Ints()))
	}
	if n.system(); n.failed() != nil {
		n.close()
		return nil, n.err
	}
	return n, nil
}

func (n *encoder) close() {
	n.solver.Close()
	n.Close()
}

// failed is why the assertions are not complete; nil if they are.
func (n *encoder) failed() error {
	if n.err == nil {
		n.err = n.Err()
	}
	return n.err
}

// stop says that there is no use in going on. Loops over pairs ask it.
func (n *encoder) stop() bool {
	switch {
	case n.err != nil:
	case n.ctx.Err() != nil:
		n.err = n.ctx.Err()
	case n.Mark() > n.maxTerms:
		n.err = errTooLarge
	}
	return n.err != nil
}

// push opens a scope, pop forgets what was asserted since.
func (n *encoder) push() {
	n.scopes = append(n.scopes, scope{n.Mark(), len(n.trail), len(n.instances)})
	n.solver.Push()
}

func (n *encoder) pop() {
	s := n.scopes[len(n.scopes)-1]
	n.scopes = n.scopes[:len(n.scopes)-1]
	n.solver.Pop()
	for _, f := range n.trail[s.trail:] {
		delete(n.done, f)
	}
	n.trail, n.instances = n.trail[:s.trail], n.instances[:s.instances]
	n.Release(s.mark)
}

// once says that a fact is yet to be asserted, and notes that it will be.
func (n *encoder) once(f fact, v value) bool {
	if _, ok := n.done[f]; ok {
		return false
	}
	n.done[f] = v
	n.trail = append(n.trail, f)
	return true
}

// system asserts what holds in every valid schedule.
func (n *encoder) system() {
	for _, alternatives := range n.tree.branches() {
		n.atMostOne(alternatives)
	}
	n.rendezvousApart()
	for i := range n.sys.Events {
		if n.stop() {
			return
		}
		e := eventID(i)
		ev := &n.sys.Events[e]
		if ev.Prev != constraint.NoEvent {
			n.solver.Assert(n.precedes(ev.Prev, e))
		} else {
			n.ifHappens(e, n.begun(ev.Thread, e))
		}
		n.ifHappens(e, n.permitted(e))
		for _, c := range ev.Cond {
			n.ifHappens(e, n.truth(c))
		}
	}
}

func (n *encoder) atMostOne(events []eventID) {
	for i, a := range events {
		for _, b := range events[:i] {
			n.solver.Assert(n.or(n.not(n.happens(a)), n.not(n.happens(b))))
		}
	}
}

func (n *encoder) ifHappens(e eventID, t term) {
	if t != n.yes {
		n.solver.Assert(n.or(n.not(n.happens(e)), t))
	}
}

// begun is: before the point at, thread t has been started, if anything starts it.
func (n *encoder) begun(t constraint.ThreadID, at eventID) term {
	spawns := n.tree.spawns[t]
	if len(spawns) == 0 {
		return n.yes
	}
	var any []term
	for _, s := range spawns {
		any = append(any, n.seen(s, at))
	}
	return n.or(any...)
}
