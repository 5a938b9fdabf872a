package native

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/hocket-dev/hocket/breakpoints"
)

// why says in one line why a run did not play the plan to its end; "" if it did.
func (p *Plan) why(r breakpoints.Report) string {
	if p == nil || r.Played {
		return ""
	}
	if r.Bad != "" {
		return "the plan could not be read: " + r.Bad
	}
	arrived := map[string]bool{}
	for _, id := range r.Arrived {
		arrived[id] = true
	}
	how, id, _ := strings.Cut(r.Broken, " ")
	if s := p.step(id); s != nil {
		if missing := p.missing(s, arrived); missing != "" {
			end := "and nobody else could go on"
			if how == "timeout" {
				end = "which did not happen in time"
			}
			return fmt.Sprintf("%s waited at %s until %s, %s", p.who(s), p.place(s.Point), missing, end)
		}
	}
	for i := range p.Steps.Steps {
		if s := &p.Steps.Steps[i]; !arrived[s.ID] && !s.Late {
			return fmt.Sprintf("%s did not come to %s", p.who(s), p.place(s.Point))
		}
	}
	return "the program ended first"
}

// missing is the first thing that a step waited for in vain.
func (p *Plan) missing(s *breakpoints.Step, arrived map[string]bool) string {
	for _, r := range s.After {
		t := p.step(r.Step)
		switch {
		case t == nil:
		case !arrived[r.Step]:
			return fmt.Sprintf("%s comes to %s", p.who(t), p.place(t.Point))
		case r.State == breakpoints.Blocked:
			return fmt.Sprintf("%s is blocked at %s", p.who(t), p.place(t.Point))
		case r.State == breakpoints.Gone:
			return fmt.Sprintf("%s has ended after %s", p.who(t), p.place(t.Point))
		case r.State == breakpoints.Passed:
			return fmt.Sprintf("%s has passed %s", p.who(t), p.place(t.Point))
		}
	}
	return ""
}

func (p *Plan) step(id string) *breakpoints.Step {
	for i := range p.Steps.Steps {
		if p.Steps.Steps[i].ID == id {
			return &p.Steps.Steps[i]
		}
	}
	return nil
}

func (p *Plan) who(s *breakpoints.Step) string {
	if name := p.names[s.Role]; name != "" {
		return name
	}
	return "goroutine " + s.Role
}

func (p *Plan) place(point int) string {
	for _, pl := range p.Places {
		if pl.ID == point && pl.Kind.IsPoint() {
			return fmt.Sprintf("%s:%d", filepath.Base(pl.File), pl.Line)
		}
	}
	return fmt.Sprintf("point %d", point)
}
