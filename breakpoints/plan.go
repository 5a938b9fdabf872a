package breakpoints

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// State is what a step's goroutine must be in for another step to go on.
type State int

const (
	Arrived State = iota // got to the point (it may be waiting there)
	Blocked              // got to the point, went on, and is now blocked: "~"
	Gone                 // got to the point, went on, and has ended: "!"
	Passed               // got to the point and went on a little while ago: "+"
)

const stateMarks = "~!+"

func (s State) String() string {
	if s == Arrived {
		return ""
	}
	return stateMarks[s-1 : s]
}

// Ref is one thing that a step waits for.
type Ref struct {
	Step  string
	State State
}

// Step is the Visit-th visit (from 1) of Role to Point since Role's previous
// step in the plan. Visit 0 is like 1, except that the step may also arrive in
// the very visit of the previous step, if that place has both points, once the
// previous step has gone on.
type Step struct {
	ID     string // without white space, "~", "!", "+" and ";"
	Role   string
	Point  int
	Visit  int
	Prefer bool // the select at this point takes the case wrapped by If
	Late   bool // holds a goroutine back until the end: the plan is played without it
	After  []Ref
	Sleep  time.Duration // once it could go on, the goroutine sleeps for so long
}

// Plan says which steps wait for which.
type Plan struct {
	Steps   []Step
	Timeout time.Duration // longest wait at one step; 0 = 2 s
	Linger  time.Duration // how long Linger holds after a fully played plan; 0 = 20 ms
	// Patience is how long nobody must have been able to go on before a wait ends in vain:
	// those that wait for a timer look as if they could not. 0 = a few ms
	Patience time.Duration
	Dump     bool // Linger adds a goroutine dump to the report
}

// String gives the text that Parse reads: one item a line, "step ID ROLE POINT
// VISIT [prefer] [late] [sleep=D] [ID|ID~|ID!|ID+]...", "timeout D", "linger D", "patience D", "dump".
func (p Plan) String() string {
	var b strings.Builder
	if p.Timeout > 0 {
		fmt.Fprintf(&b, "timeout %v\n", p.Timeout)
	}
	if p.Linger > 0 {
		fmt.Fprintf(&b, "linger %v\n", p.Linger)
	}
	if p.Patience > 0 {
		fmt.Fprintf(&b, "patience %v\n", p.Patience)
	}
	if p.Dump {
		b.WriteString("dump\n")
	}
	for _, s := range p.Steps {
		fmt.Fprintf(&b, "step %s %s %d %d", s.ID, s.Role, s.Point, s.Visit)
		if s.Prefer {
			b.WriteString(" prefer")
		}
		if s.Late {
			b.WriteString(" late")
		}
		if s.Sleep > 0 {
			fmt.Fprintf(&b, " %s%v", sleepWord, s.Sleep)
		}
		for _, r := range s.After {
			b.WriteString(" " + r.Step + r.State.String())
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Parse reads a plan; lines may also be separated by semicolons.
func Parse(text string) (Plan, error) {
	var p Plan
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ';' })
	for _, line := range lines {
		f := strings.Fields(line)
		if len(f) == 0 || strings.HasPrefix(f[0], "#") {
			continue
		}
		if err := p.parseLine(f); err != nil {
			return p, fmt.Errorf("plan line %q: %w", line, err)
		}
	}
	return p, p.check()
}

func (p *Plan) parseLine(f []string) (err error) {
	switch {
	case f[0] == "dump" && len(f) == 1:
		p.Dump = true
	case f[0] == "timeout" && len(f) == 2:
		p.Timeout, err = time.ParseDuration(f[1])
	case f[0] == "linger" && len(f) == 2:
		p.Linger, err = time.ParseDuration(f[1])
	case f[0] == "patience" && len(f) == 2:
		p.Patience, err = time.ParseDuration(f[1])
	case f[0] == "step" && len(f) >= 5:
		s := Step{ID: f[1], Role: f[2]}
		if s.Point, err = strconv.Atoi(f[3]); err != nil {
			return err
		}
		if s.Visit, err = strconv.Atoi(f[4]); err != nil {
			return err
		}
		for _, w := range f[5:] {
			switch d, sleeps := strings.CutPrefix(w, sleepWord); {
			case w == "prefer":
				s.Prefer = true
			case w == "late":
				s.Late = true
			case sleeps:
				if s.Sleep, err = time.ParseDuration(d); err != nil {
					return err
				}
			default:
				s.After = append(s.After, parseRef(w))
			}
		}
		p.Steps = append(p.Steps, s)
	default:
		return fmt.Errorf("want step, timeout, linger, patience or dump")
	}
	return err
}

const sleepWord = "sleep="

func parseRef(w string) Ref {
	if i := strings.IndexByte(stateMarks, w[len(w)-1]); i >= 0 {
		return Ref{w[:len(w)-1], State(i + 1)}
	}
	return Ref{w, Arrived}
}

// check refuses plans that could never be played.
func (p *Plan) check() error {
	ids := map[string]bool{}
	for _, s := range p.Steps {
		if ids[s.ID] {
			return fmt.Errorf("plan: step %s occurs twice", s.ID)
		}
		if s.Visit < 0 {
			return fmt.Errorf("plan: step %s: visit %d, want 0 or more", s.ID, s.Visit)
		}
		ids[s.ID] = true
	}
	for _, s := range p.Steps {
		for _, r := range s.After {
			if !ids[r.Step] {
				return fmt.Errorf("plan: step %s waits for %s, which is not a step", s.ID, r.Step)
			}
		}
	}
	return nil
}
