package reproduce

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hocket-dev/hocket/breakpoints"
)

// words says in people's words what the steps of a plan are.
type words struct {
	plan breakpoints.Plan
	f    Finding
	at   func(statement int) string // "file.go:12"
}

// step finds a step by its id.
func (w *words) step(id string) (breakpoints.Step, bool) {
	for _, s := range w.plan.Steps {
		if s.ID == id {
			return s, true
		}
	}
	return breakpoints.Step{}, false
}

// place is where a point is: "cache.go:12: c.n++".
func (w *words) place(point int) string {
	for i, s := range w.f.Statements {
		for _, p := range s.Points {
			if p == point {
				return w.at(i) + ": " + short(s.Place.Text)
			}
		}
	}
	return "point " + strconv.Itoa(point)
}

func short(text string) string {
	text = Normalize(text)
	if r := []rune(text); len(r) > 60 {
		return string(r[:57]) + "..."
	}
	return text
}

// who names a goroutine by where it was started.
func (w *words) who(role string) string {
	i := strings.LastIndex(role, "/")
	site, count, ok := strings.Cut(role[i+1:], "#")
	if !ok {
		if w.f.test() {
			return "the test"
		}
		return "main"
	}
	for j, s := range w.f.Statements {
		for _, id := range s.Spawns {
			if strconv.Itoa(id) == site {
				if count == "1" && !w.several(role[:i+1]+site) {
					return "the goroutine started at " + w.at(j)
				}
				return "goroutine " + count + " started at " + w.at(j)
			}
		}
	}
	switch role[:i+1] + site + "#" {
	case breakpoints.TimerRole:
		return "the goroutine of a timer"
	case breakpoints.LibraryRole:
		return "goroutine " + count + " of the standard library"
	}
	return "goroutine " + role
}

// several goroutines of the plan were started at one place.
func (w *words) several(site string) bool {
	for _, s := range w.plan.Steps {
		if strings.HasPrefix(s.Role, site+"#") && s.Role != site+"#1" {
			return true
		}
	}
	return false
}

// order tells the steps in the order in which they go on.
func (w *words) order() []string {
	var lines []string
	for _, s := range Sequence(w.plan) {
		lines = append(lines, fmt.Sprintf("%s: %s%s", w.who(s.Role), w.place(s.Point), w.waits(s)))
	}
	return lines
}

// Sequence lists a plan's steps in an order in which they can go on. A step
// arrives once the one before it, of the same role, has gone on.
func Sequence(p breakpoints.Plan) []breakpoints.Step {
	var out []breakpoints.Step
	arrived, passed := map[string]bool{}, map[string]bool{}
	ready := func(s breakpoints.Step) bool {
		for _, r := range s.After {
			if !arrived[r.Step] || r.State != breakpoints.Arrived && !passed[r.Step] {
				return false
			}
		}
		return true
	}
	for more := true; more; {
		more = false
		busy := map[string]bool{} // roles that are at a step
		for _, s := range p.Steps {
			if passed[s.ID] || busy[s.Role] {
				continue
			}
			more = more || !arrived[s.ID]
			arrived[s.ID] = true
			if busy[s.Role] = !ready(s); !busy[s.Role] {
				passed[s.ID], more = true, true
				out = append(out, s)
			}
		}
	}
	return out
}

// waits says what a step waits for.
func (w *words) waits(s breakpoints.Step) string {
	var all []string
	for _, r := range s.After {
		t, _ := w.step(r.Step)
		what := "is at"
		switch r.State {
		case breakpoints.Blocked:
			what = "is blocked in"
		case breakpoints.Gone:
			what = "has ended after"
		case breakpoints.Passed:
			what = "has passed"
		}
		all = append(all, fmt.Sprintf("%s %s %s", w.who(t.Role), what, w.place(t.Point)))
	}
	if len(all) == 0 {
		return ""
	}
	return ", once " + strings.Join(all, ", and ")
}

// impossible says why an order was given up.
func (w *words) impossible(rep breakpoints.Report) string {
	how, id, _ := strings.Cut(rep.Broken, " ")
	if s, ok := w.step(id); ok {
		why := "which did not happen in time"
		if how == "stuck" {
			why = "which can't happen: nobody else could go on"
		}
		return fmt.Sprintf("this order is no longer possible: %s waits at %s%s, %s",
			w.who(s.Role), w.place(s.Point), strings.Replace(w.waits(s), ", once", " until", 1), why)
	}
	arrived := map[string]bool{}
	for _, id := range rep.Arrived {
		arrived[id] = true
	}
	for _, s := range w.plan.Steps {
		if !arrived[s.ID] && !s.Late {
			return fmt.Sprintf("this order is no longer possible: %s did not come to %s", w.who(s.Role), w.place(s.Point))
		}
	}
	return "this order is no longer possible"
}
