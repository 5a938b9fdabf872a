package search

import (
	"context"
	"fmt"
	"time"
)

// Target is one of many to be searched. Open is called when its turn comes
// first (it may build a program); its time is the target's.
type Target struct {
	Name string
	Open func(ctx context.Context) (*Campaign, error)
}

// Hooks are called by Fair, one at a time; any may be nil.
type Hooks struct {
	Progress func(target int, p Progress)
	// Done gets a target's outcome as soon as it is final. What it does (such
	// as simplifying) takes time from the common budget.
	Done func(target int, o *Outcome)
}

// Attempts of a target before the next one has its turn.
const (
	firstRound = 20
	laterRound = 100
)

// Fair searches targets under one budget (0 = none). First each has a short
// turn, so that even a small budget sees all; then they take turns until all
// are done or the time is up. What a target does not need falls to the others.
// Outcomes are in the order of the targets.
func Fair(ctx context.Context, budget time.Duration, targets []Target, hooks Hooks) []*Outcome {
	f := &fair{parent: ctx, targets: targets, hooks: hooks, outcomes: make([]*Outcome, len(targets))}
	f.ctx, f.cancel = withBudget(ctx, budget)
	defer f.cancel()
	if budget > 0 {
		f.deadline = time.Now().Add(budget)
	}
	campaigns := make([]*Campaign, len(targets))
	for i := range targets {
		if f.ctx.Err() != nil {
			break
		}
		campaigns[i] = f.open(i)
		f.turn(i, campaigns[i], firstRound, len(targets)-i)
	}
	for f.ctx.Err() == nil && f.left() > 0 {
		for i, c := range campaigns {
			if f.outcomes[i] == nil && f.ctx.Err() == nil {
				f.turn(i, c, laterRound, f.left())
			}
		}
	}
	f.close(campaigns)
	return f.outcomes
}

type fair struct {
	parent, ctx context.Context
	cancel      context.CancelFunc
	deadline    time.Time // zero = none
	targets     []Target
	hooks       Hooks
	outcomes    []*Outcome
}

func (f *fair) left() int {
	n := 0
	for _, o := range f.outcomes {
		if o == nil {
			n++
		}
	}
	return n
}

// open returns nil and sets the outcome if the target can't be opened.
func (f *fair) open(i int) *Campaign {
	c, err := f.targets[i].Open(f.ctx)
	if err == nil {
		return c
	}
	o := &Outcome{Status: Error, Reason: fmt.Sprintf("open %s: %v", f.targets[i].Name, err)}
	if f.ctx.Err() != nil {
		o = notStarted()
	}
	f.done(i, o)
	return nil
}

// turn gives a target attempts, and its share of the time left: one of sharers.
func (f *fair) turn(i int, c *Campaign, attempts, sharers int) {
	if c == nil {
		return
	}
	slice := Slice{Attempts: attempts}
	if !f.deadline.IsZero() {
		slice.Time = max(time.Until(f.deadline)/time.Duration(sharers), 1)
	}
	c.Step(f.ctx, slice, func(p Progress) {
		if f.hooks.Progress != nil {
			f.hooks.Progress(i, p)
		}
	})
	if c.Done() {
		f.done(i, c.Finish(f.parent, Grace))
	}
}

// close ends those that are not done. All share one Grace.
func (f *fair) close(campaigns []*Campaign) {
	end := time.Now().Add(Grace)
	for i, c := range campaigns {
		switch {
		case f.outcomes[i] != nil:
		case c == nil:
			f.done(i, notStarted())
		default:
			f.done(i, c.Finish(f.parent, time.Until(end)))
		}
	}
}

func (f *fair) done(i int, o *Outcome) {
	f.outcomes[i] = o
	if f.hooks.Done != nil {
		f.hooks.Done(i, o)
	}
}

func notStarted() *Outcome { return &Outcome{Status: CutShort, Reason: "not started"} }
