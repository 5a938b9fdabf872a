package report

import (
	"fmt"
	"strings"
	"time"
)

func (p Place) String() string {
	s := p.File
	if p.Line > 0 {
		s += fmt.Sprintf(":%d", p.Line)
	}
	return s
}

func (c Count) String() string { return fmt.Sprintf("%d of %d", c.Failed, c.Runs) }

// Headline is "message (file:line), class".
func (f *Finding) Headline() string {
	s := f.Message
	if s == "" {
		s = f.Kind
	}
	if f.Failure.File != "" {
		s += " (" + f.Failure.String() + ")"
	}
	if f.Class != "" && f.Class != f.Kind && f.Class != "other" {
		s += ", " + strings.ReplaceAll(f.Class, "-", " ")
	}
	return s
}

// Evidence says how the finding is known: how often it failed, and where.
func (f *Finding) Evidence() string {
	parts := []string{fmt.Sprintf("replays %s", f.Replay)}
	if f.SameEvents < f.Replay.Runs {
		parts[0] += fmt.Sprintf(" (%d along the very same steps)", f.SameEvents)
	}
	switch {
	case f.Native != nil && f.Confirmed == Native:
		parts = append(parts, fmt.Sprintf("fails %s on the ordinary build with the order enforced", f.Native))
	case f.HappensNatively():
		parts = append(parts, fmt.Sprintf("happens on the ordinary build, %s with the order enforced", f.Native))
	case f.Native != nil:
		parts = append(parts, fmt.Sprintf("%s on the ordinary build", f.Native))
	}
	if f.Pinned != nil {
		parts = append(parts, fmt.Sprintf("%s compiled as for production", f.Pinned))
	}
	switch {
	case f.Confirmed == RaceProved:
		parts = append(parts, "a data race proved on the execution")
	case f.Confirmed == Controlled && !f.HappensNatively() && !happened(f.Pinned):
		parts = append(parts, "seen only in the build with access hooks: may not happen in production")
	}
	if f.NativeNote != "" && f.Confirmed != Native {
		parts[len(parts)-1] += " (" + f.NativeNote + ")"
	}
	s := strings.Join(parts, ", ")
	if f.Schedule.Switches > 0 {
		s += fmt.Sprintf("; %s, %s", count(f.Schedule.Switches, "context switch", "es"), count(f.Schedule.Preemptions, "preemption", "s"))
		if f.Schedule.Minimal {
			s += " (fewest possible, proved)"
		} else {
			s += " (fewest found)"
		}
		if n := f.needed(); n > 0 {
			s += fmt.Sprintf(", without %d of which no run fails", n)
		}
	}
	return s
}

// HappensNatively reports whether the ordinary build failed in some run, be it
// in fewer than Confirmed == Native asks for.
func (f *Finding) HappensNatively() bool { return happened(f.Native) }

func happened(c *Count) bool { return c != nil && c.Failed > 0 }

// needed counts the switches without which the failure never came.
func (f *Finding) needed() int {
	n := 0
	for _, s := range f.Necessity {
		if s.Runs > 0 && s.Failed == 0 {
			n++
		}
	}
	return n
}

func count(n int, what, ending string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %s%s", n, what, ending)
}

// Needs estimates what is left of the search as planned: what the targets that were
// cut short need, and for each that was not reached what the others took or need.
func (r *Report) Needs() time.Duration {
	var left, whole int64
	reached, missed := int64(0), int64(0)
	for _, t := range r.Targets {
		switch {
		case t.Status == NotReached:
			missed++
		case t.Searched.Attempts > 0:
			reached++
			left += t.NeedsMS
			whole += t.NeedsMS + t.Searched.TotalMS
		}
	}
	if reached > 0 {
		left += missed * whole / reached
	}
	return time.Duration(left) * time.Millisecond
}

// String is "worker#2 read n at a.go:3 (called at b.go:4)".
func (a Access) String() string {
	s := fmt.Sprintf("%s: %s %s at %s:%d", a.Goroutine, a.Op, a.Var, a.File, a.Line)
	if a.Call != nil {
		s += " (called at " + a.Call.String() + ")"
	}
	return s
}

// String is "worker waits at a.go:3 to lock mu, held by main".
func (b Blocked) String() string {
	s := fmt.Sprintf("%s waits at %s: %s", b.Goroutine, b.Place, b.On)
	if b.Holder != "" {
		s += ", held by " + b.Holder
	}
	return s
}

// String is "leak: f (a.go:3): every schedule leaves goroutines blocked there".
func (w Withheld) String() string { return fmt.Sprintf("%s: %s: %s", w.Kind, w.Message, w.Why) }
