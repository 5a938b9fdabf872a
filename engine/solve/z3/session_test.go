package z3

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/budget"
	"github.com/hocket-dev/hocket/engine/solve/gen"
	"github.com/hocket-dev/hocket/engine/solve/z3/libz3"
)

// hardSystem is increments of one counter by many threads, under no lock, and the
// goal that the last reader finds an impossible number.
func hardSystem(threadCount, rounds int) (*constraint.System, constraint.Goal) {
	var chains [][]constraint.Event
	n := 0
	for range threadCount {
		var chain []constraint.Event
		for range rounds {
			chain = append(chain, ev(constraint.Read, objKnown), ev(constraint.Write, objKnown))
			chain[len(chain)-1].Val = op(constraint.TAdd, sym(eventID(n)), number(1))
			n += 2
		}
		chains = append(chains, chain)
	}
	last := ev(constraint.Read, objKnown)
	last.Cond = []*constraint.Term{op(constraint.TEq, sym(eventID(n)), number(uint64(threadCount*rounds+1)))}
	chains = append(chains, []constraint.Event{last})
	return threads(chains...), constraint.Goal{Include: []eventID{eventID(n)}}
}

// TestCancel: a session that was cancelled, whatever it was at then, goes on as if
// it had not been, scopes included.
func TestCancel(t *testing.T) {
	sys, hard := hardSystem(6, 5)
	s := open(t, sys)
	s.Push()
	s.Add(constraint.Clause{{A: 2, B: 0}})
	for _, delay := range []time.Duration{0, time.Millisecond, 5 * time.Millisecond, 30 * time.Millisecond, 100 * time.Millisecond} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(delay, cancel)
		if r, err := s.Check(budget.Unlimited(ctx), hard); err != nil || r.Status != solve.Unknown || !strings.HasPrefix(r.Reason, "cancelled") {
			t.Fatalf("cancelled after %v: %v (%s), %v", delay, r.Status, r.Reason, err)
		}
	}
	order := constraint.Goal{Order: []constraint.Edge{{Before: 0, After: 10}}}
	for _, want := range []solve.Status{solve.Unsat, solve.Sat} {
		if r, err := s.Check(budget.Unlimited(t.Context()), order); err != nil || r.Status != want {
			t.Errorf("after cancels: %v (%s), %v; want %v", r.Status, r.Reason, err, want)
		}
		if want == solve.Unsat {
			s.Pop()
		}
	}
}

// stubborn is an engine that never comes back by itself.
type stubborn struct {
	t                 *testing.T
	back              chan struct{} // closed: it comes back
	checking, closed  *atomic.Int32
	returned, isClose bool
}

func (e *stubborn) check(context.Context, question) (solve.Result, error) {
	e.checking.Add(1)
	<-e.back
	e.returned = true
	return solve.Result{Status: solve.Unsat}, nil
}

func (e *stubborn) close() {
	if !e.returned || e.isClose {
		e.t.Error("an engine is closed while it checks, or twice")
	}
	e.isClose = true
	e.closed.Add(1)
}

// TestLeftBehind: a check ends with its context though the engine does not. The
// clock is the test's own, so that no time at all may pass.
func TestLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var checking, closed atomic.Int32
		back := make(chan struct{})
		sys := threads([]constraint.Event{ev(constraint.Nop, 0)})
		s := newSession(sys, func() engine { return &stubborn{t: t, back: back, checking: &checking, closed: &closed} }, make(chan struct{}, maxBusy))
		check := func(want string) {
			t.Helper()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			start := time.Now()
			r, err := s.Check(budget.Unlimited(ctx), constraint.Goal{})
			if err != nil || r.Status != solve.Unknown || r.Reason != want {
				t.Errorf("%v (%s), %v; want %s", r.Status, r.Reason, err, want)
			}
			if late := time.Since(start) - time.Second; late != 0 {
				t.Errorf("%v late", late)
			}
		}
		for range maxBusy {
			check("time is up")
		}
		for range 3 { // no more are started
			check("time is up: Z3 still works on 4 other checks")
		}
		if checking.Load() != maxBusy || closed.Load() != 0 {
			t.Errorf("%d engines were started and %d closed, of %d", checking.Load(), closed.Load(), maxBusy)
		}
		close(back)
		synctest.Wait()
		if closed.Load() != maxBusy {
			t.Errorf("%d engines that came back are closed, of %d", closed.Load(), maxBusy)
		}
		if r, err := s.Check(budget.Unlimited(t.Context()), constraint.Goal{}); err != nil || r.Status != solve.Unsat {
			t.Errorf("afterwards: %v (%s), %v", r.Status, r.Reason, err)
		}
		s.Close()
		synctest.Wait()
		if closed.Load() != maxBusy+1 {
			t.Error("the last engine was not closed")
		}
	})
}

// slowly is an engine that notes what it is asked.
type slowly struct{ asked []question }

func (e *slowly) close() {}
func (e *slowly) check(_ context.Context, q question) (solve.Result, error) {
	e.asked = append(e.asked, q)
	return solve.Result{Status: solve.Unsat}, nil
}

// TestKeptScopes: an engine is told how many of its scopes stayed, also if others
// took the place of some between two checks.
func TestKeptScopes(t *testing.T) {
	e := &slowly{}
	sys := threads([]constraint.Event{ev(constraint.Nop, 0)})
	s := newSession(sys, func() engine { return e }, make(chan struct{}, maxBusy))
	check := func(kept, scopes int) {
		t.Helper()
		if _, err := s.Check(budget.Unlimited(t.Context()), constraint.Goal{}); err != nil {
			t.Fatal(err)
		}
		if q := e.asked[len(e.asked)-1]; q.kept != kept || len(q.scopes) != scopes {
			t.Errorf("%d of %d scopes kept, want %d of %d", q.kept, len(q.scopes), kept, scopes)
		}
	}
	check(0, 1)
	s.Push()
	s.Push()
	check(1, 3)
	check(3, 3)
	s.Pop()
	s.Push()
	check(2, 3)
	s.Pop()
	s.Pop()
	s.Push()
	s.Push()
	s.Push()
	check(1, 4)
}

// ending is a context that ends when it is looked at for the nth time.
type ending struct {
	context.Context
	looks, at int
}

func (c *ending) Err() error {
	if c.looks++; c.looks >= c.at {
		return context.Canceled
	}
	return nil
}

// TestEncodingStops: a formula that takes long to make looks at its context all
// along: for each event, and for each clause that comes later.
func TestEncodingStops(t *testing.T) {
	const clauses = 100
	sys, _ := hardSystem(3, 4)
	q := question{scopes: [][]constraint.Clause{slices.Repeat([]constraint.Clause{{{A: 2, B: 0}}}, clauses)}}
	for _, at := range []int{1, 2, len(sys.Events) / 2, len(sys.Events), len(sys.Events) + clauses} {
		f := formula{o: Options{MaxTerms: 1 << 30}, sys: sys}
		ctx := &ending{Context: t.Context(), at: at}
		if err := f.catchUp(ctx, q); !errors.Is(err, context.Canceled) {
			t.Errorf("at the %dth look: %v", at, err)
		} else if ctx.looks > at+1 { // once more for the error
			t.Errorf("the context ended at the %dth look of %d", at, ctx.looks)
		}
		f.close()
	}
}

func TestTooLarge(t *testing.T) {
	z, err := New(Options{MaxTerms: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	sys, hard := hardSystem(8, 5)
	s, err := z.New(sys)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if r, err := s.Check(budget.Unlimited(t.Context()), hard); err != nil || r.Status != solve.Unknown || !strings.Contains(r.Reason, "too large") {
		t.Errorf("%v (%s), %v", r.Status, r.Reason, err)
	}
}

func TestInvalidSystem(t *testing.T) {
	z, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.New(&constraint.System{Events: []constraint.Event{{Thread: 3}}}); err == nil {
		t.Error("a system without threads is taken")
	}
}

// TestNoLeak: more than 10,000 checks in one session, with scopes, assumptions and models.
func TestNoLeak(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	var q *gen.Question
	for q == nil || len(q.Given) == 0 || len(q.Assume) == 0 {
		q = gen.Random(rng, 6)
	}
	s := open(t, q.System)
	round := func() {
		s.Push()
		s.Add(q.Given...)
		goal := constraint.Goal{Include: []eventID{eventID(rng.IntN(len(q.System.Events)))}}
		if r, err := s.Check(budget.Unlimited(t.Context()), goal, q.Assume...); err != nil || r.Status == solve.Unknown {
			t.Fatalf("%v (%s), %v", r.Status, r.Reason, err)
		}
		s.Pop()
	}
	for range renewal { // just before the next one
		round()
	}
	before, terms := libz3.Allocated(), s.(*session).engine.(*formula).enc.Mark()
	for range 3 * renewal {
		round()
	}
	if after := libz3.Allocated(); after > before+4_000_000 {
		t.Errorf("%d bytes after %d checks, %d after %d", before, renewal, after, 4*renewal)
	}
	if now := s.(*session).engine.(*formula).enc.Mark(); now != terms {
		t.Errorf("%d terms after %d checks, %d after %d", terms, renewal, now, 4*renewal)
	}
}

// TestDisagreementIsAnError: a schedule that the machine does not accept is not
// handed out, and the error shows the system.
func TestDisagreementIsAnError(t *testing.T) {
	sys := threads([]constraint.Event{ev(constraint.Unlock, objLock)})
	enc, err := newEncoder(t.Context(), &constraint.System{Objects: sys.Objects, Threads: sys.Threads,
		Events: []constraint.Event{{Op: constraint.Nop, Prev: constraint.NoEvent, Child: -1}}}, Options{MaxTerms: 1000})
	if err != nil {
		t.Fatal(err)
	}
	defer enc.close()
	enc.sys = sys // as if unlocking had no rule
	goal := constraint.Goal{Include: []eventID{0}}
	enc.goal(&goal)
	if _, err := enc.solver.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err = enc.schedule(&goal)
	var v *constraint.Violation
	if !errors.As(err, &v) || !strings.Contains(err.Error(), fmt.Sprint(sys)) {
		t.Errorf("error %v", err)
	}
}
