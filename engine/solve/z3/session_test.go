package z3

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
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
	return threads(chains...).sys, constraint.Goal{Include: []eventID{eventID(n)}}
}

func TestCancel(t *testing.T) {
	sys, hard := hardSystem(6, 5)
	s := open(t, sys)
	for _, delay := range []time.Duration{0, time.Millisecond, 30 * time.Millisecond, 300 * time.Millisecond} {
		late := time.Hour
		for range 5 { // the machine may be busy
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan time.Time, 1)
			go func() {
				time.Sleep(delay)
				ended <- time.Now()
				cancel()
			}()
			r, err := s.Check(ctx, hard)
			late = min(late, time.Since(<-ended))
			if err != nil || r.Status != solve.Unknown || r.Reason != "cancelled" {
				t.Fatalf("cancelled after %v: %v (%s), %v", delay, r.Status, r.Reason, err)
			}
		}
		if late > 100*time.Millisecond {
			t.Errorf("cancelled after %v: %v late", delay, late)
		}
	}
	// A session that was cancelled goes on as if it had not been, scopes included.
	s.Push()
	s.Add(constraint.Clause{{A: 2, B: 0}})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if r, err := s.Check(ctx, hard); err != nil || r.Status != solve.Unknown || r.Reason != "time is up" {
		t.Errorf("%v (%s), %v", r.Status, r.Reason, err)
	}
	order := constraint.Goal{Order: []constraint.Edge{{Before: 0, After: 10}}}
	for _, want := range []solve.Status{solve.Unsat, solve.Sat} {
		if r, err := s.Check(t.Context(), order); err != nil || r.Status != want {
			t.Errorf("after cancels: %v (%s), %v; want %v", r.Status, r.Reason, err, want)
		}
		if want == solve.Unsat {
			s.Pop()
		}
	}
}

// TestCancelEncoding: a formula that is large takes time before Z3 sees it.
func TestCancelEncoding(t *testing.T) {
	sys, hard := hardSystem(8, 40)
	s := open(t, sys)
	late := time.Hour
	for range 5 { // the machine may be busy
		ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
		r, err := s.Check(ctx, hard)
		deadline, _ := ctx.Deadline()
		late = min(late, time.Since(deadline))
		cancel()
		if err != nil || r.Status != solve.Unknown || r.Reason != "time is up" {
			t.Fatalf("%v (%s), %v", r.Status, r.Reason, err)
		}
	}
	if late > 100*time.Millisecond {
		t.Errorf("%v late", late)
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
	if r, err := s.Check(t.Context(), hard); err != nil || r.Status != solve.Unknown || !strings.Contains(r.Reason, "too large") {
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
	m := randomSystem(rand.New(rand.NewPCG(7, 7)), 6)
	s := open(t, m.sys)
	round := func() {
		s.Push()
		s.Add(m.clause())
		a := solve.Assumption{Name: "a", Clauses: []constraint.Clause{m.clause()}}
		if r, err := s.Check(t.Context(), m.goal(), a); err != nil || r.Status == solve.Unknown {
			t.Fatalf("%v (%s), %v", r.Status, r.Reason, err)
		}
		s.Pop()
	}
	for range renewal { // just before the next one
		round()
	}
	before, terms := libz3.Allocated(), s.(*session).enc.Mark()
	for range 3 * renewal {
		round()
	}
	if after := libz3.Allocated(); after > before+4_000_000 {
		t.Errorf("%d bytes after %d checks, %d after %d", before, renewal, after, 4*renewal)
	}
	if now := s.(*session).enc.Mark(); now != terms {
		t.Errorf("%d terms after %d checks, %d after %d", terms, renewal, now, 4*renewal)
	}
}

// TestDisagreementIsAnError: a schedule that the machine does not accept is not
// handed out, and the error shows the system.
func TestDisagreementIsAnError(t *testing.T) {
	sys := threads([]constraint.Event{ev(constraint.Unlock, objLock)}).sys
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
