package search

import (
	"github.com/hocket-dev/hocket/engine/run"
)

// thinking is an exploration whose plans are made in a goroutine of their own.
// While one is, nothing else touches the exploration: what is observed
// meanwhile is held back until the plan is joined. All methods are for one
// goroutine.
type thinking struct {
	explore *Explore
	done    chan struct{} // closed at the end of a plan that was not joined; nil: there is none
	held    []observation
}

type observation struct {
	spec run.Spec
	res  *run.Result
}

// think begins a plan. One that asks nothing is made at once.
func (t *thinking) think() {
	if t.explore.runs == 0 {
		t.explore.plan()
		return
	}
	done := make(chan struct{})
	t.done = done
	go func() {
		defer close(done)
		t.explore.plan()
	}()
}

// thinks is true from the beginning of a plan until it is joined.
func (t *thinking) thinks() bool { return t.done != nil }

// finished is true if joining need not wait.
func (t *thinking) finished() bool {
	select {
	case <-t.done:
		return true
	default:
		return t.done == nil
	}
}

// join waits for the plan and takes in what was observed meanwhile.
func (t *thinking) join() {
	if t.done == nil {
		return
	}
	<-t.done
	t.done = nil
	for _, o := range t.held {
		t.observe(o.spec, o.res)
	}
	t.held = nil
}

func (t *thinking) observe(spec run.Spec, r *run.Result) {
	if t.thinks() {
		t.held = append(t.held, observation{spec, r})
		return
	}
	t.explore.Observe(spec, r)
	if r.Steps > exploreSteps || r.External > 0 {
		t.explore.stop("the program is too large")
	}
}

// Ready implements Thinker.
func (t *thinking) Ready() <-chan struct{} { return t.done }

// Proved implements Prover.
func (t *thinking) Proved() (bool, string) {
	t.join()
	return t.explore.Proved()
}

// Foresight implements Foreseer.
func (t *thinking) Foresight() Foresight {
	t.join()
	return t.explore.Foresight()
}

// Doubt is as Explore's.
func (t *thinking) Doubt(why string) {
	t.join()
	t.explore.doubt(why)
}
