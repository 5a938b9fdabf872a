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
	what := a.Op
	if a.Var != "" {
		what += " " + a.Var
	}
	s := fmt.Sprintf("%s: %s at %s:%d", a.Goroutine, what, a.File, a.Line)
	if a.Call != nil {
		s += " (called at " + a.Call.String() + ")"
	}
	return s
}

// String is "worker waits at a.go:3: lock mu, held by main", or "1,000
// goroutines wait at a.go:3: lock mu", or "worker loops at a.go:3".
func (b Blocked) String() string {
	if b.On == InLoop {
		return fmt.Sprintf("%s at %s", b.Who(), b.Place)
	}
	s := fmt.Sprintf("%s at %s: %s", b.Who(), b.Place, b.On)
	if b.Holder != "" {
		s += ", held by " + b.Holder
	}
	return s
}

// InLoop is Blocked.On of a goroutine that waits for nothing but goes round in a
// loop, in a livelock.
const InLoop = "in a loop"

// Who is "worker waits", or "1,000 goroutines wait"; "loops" of one InLoop.
func (b Blocked) Who() string {
	verb := "wait"
	if b.On == InLoop {
		verb = "loop"
	}
	if b.Count > 1 {
		return grouped(b.Count) + " goroutines " + verb
	}
	return b.Goroutine + " " + verb + "s"
}

// grouped writes a number with a comma between each three digits.
func grouped(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}

// String is "leak: f (a.go:3): every schedule leaves goroutines blocked there".
func (w Withheld) String() string {
	what := w.Message
	if !strings.HasPrefix(what, w.Kind) { // as in "panic: out of range"
		what = w.Kind + ": " + what
	}
	return what + ": " + w.Why
}
