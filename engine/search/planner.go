package search

import (
	"context"

	"github.com/hocket-dev/hocket/engine/run"
)

// planner is an exploration whose plans are made in a goroutine of their own.
// While one is, nothing else touches the exploration: what is observed
// meanwhile is held back until the plan is joined. All methods are for one
// goroutine.
type planner struct {
	explore *Explore
	made    chan struct{} // closed at the end of a plan that was not joined; nil: there is none
	held    []observation
}

type observation struct {
	spec run.Spec
	res  *run.Result
}

// begin begins a plan. One that asks nothing is made at once.
func (p *planner) begin(ctx context.Context) {
	if p.explore.runs == 0 {
		p.explore.plan(ctx)
		return
	}
	made := make(chan struct{})
	p.made = made
	go func() {
		defer close(made)
		p.explore.plan(ctx)
	}()
}

// planning is true from the beginning of a plan until it is joined.
func (p *planner) planning() bool { return p.made != nil }

// finished is true if joining need not wait.
func (p *planner) finished() bool {
	select {
	case <-p.made:
		return true
	default:
		return p.made == nil
	}
}

// join waits for the plan and takes in what was observed meanwhile.
func (p *planner) join() {
	if p.made == nil {
		return
	}
	<-p.made
	p.made = nil
	for _, o := range p.held {
		p.observe(o.spec, o.res)
	}
	p.held = nil
}

func (p *planner) observe(spec run.Spec, r *run.Result) {
	if p.planning() {
		p.held = append(p.held, observation{spec, r})
		return
	}
	p.explore.Observe(spec, r)
	if r.Steps > exploreSteps || r.External > 0 {
		p.explore.stop("the program is too large")
	}
}

// Ready implements Strategy.
func (p *planner) Ready() <-chan struct{} { return p.made }

// Proved implements Strategy.
func (p *planner) Proved() (bool, string) {
	p.join()
	return p.explore.Proved()
}

// Foresight implements Strategy.
func (p *planner) Foresight() Foresight {
	p.join()
	return p.explore.Foresight()
}

// NoProof implements Strategy.
func (p *planner) NoProof(why string) {
	p.join()
	p.explore.NoProof(why)
}

// Origin implements Strategy.
func (p *planner) Origin(run.Spec) *Origin { return nil }
