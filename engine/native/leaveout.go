package native

import (
	"fmt"
	"slices"

	"github.com/hocket-dev/hocket/breakpoints"
	"github.com/hocket-dev/hocket/engine/instrument/points"
)

// leaveOut drops the steps whose point could not be placed. What waited for
// such a step waits for what the step itself waited for, so that the rest of
// the order holds; the visits of the role's next step are counted from the
// step before.
func (p *Plan) leaveOut(skipped []points.Skip) {
	gone := map[int]string{}
	for _, s := range skipped {
		if s.Place.Kind.IsPoint() {
			gone[s.Place.ID] = s.Reason
		}
	}
	for i := 0; i < len(p.Steps.Steps); i++ {
		s := p.Steps.Steps[i]
		reason, ok := gone[s.Point]
		if !ok {
			continue
		}
		p.Dropped = append(p.Dropped, fmt.Sprintf("step %s: %s", s.ID, reason))
		p.Steps.Steps = slices.Delete(p.Steps.Steps, i, i+1)
		i--
		for j := range p.Steps.Steps {
			p.inherit(&p.Steps.Steps[j], s)
		}
	}
	p.Waits = 0
	for _, s := range p.Steps.Steps {
		if len(s.After) > 0 {
			p.Waits++
		}
	}
}

// inherit replaces the reference to a dropped step by that step's own, but those to
// steps of the same goroutine.
func (p *Plan) inherit(s *breakpoints.Step, dropped breakpoints.Step) {
	i := slices.IndexFunc(s.After, func(r breakpoints.Ref) bool { return r.Step == dropped.ID })
	if i < 0 {
		return
	}
	s.After = slices.Delete(s.After, i, i+1)
	for _, r := range dropped.After {
		if t := p.step(r.Step); t != nil && t.Role != s.Role && !slices.Contains(s.After, r) {
			s.After = append(s.After, r)
		}
	}
}

// joinVisits lets a step arrive in the visit of its role's step before, where the
// operations of both are in one statement that has several lines: the trace
// tells them apart, and the points before the statement are one.
func (p *Plan) joinVisits(shared [][]int) {
	before := map[string]int{} // the point of each role's last step
	for i := range p.Steps.Steps {
		s := &p.Steps.Steps[i]
		last, ok := before[s.Role]
		before[s.Role] = s.Point
		if ok && p.goesOn[s.ID] && slices.ContainsFunc(shared, func(g []int) bool { return slices.Contains(g, last) && slices.Contains(g, s.Point) }) {
			s.Visit = 0
		}
	}
}
