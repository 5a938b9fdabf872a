package present

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/internal/words"
)

// Break is a concurrent breakpoint with its sides in today's texts.
type Break struct {
	*engine.Break
	Places []Side // side 1 first
}

// Side is where a side of a breakpoint is today. Lines and columns start at 1,
// columns count bytes; the end is the first column after it.
type Side struct {
	File               string // by its name in findings
	Path               string // absolute; "" if it is not known
	Line, Column       int
	EndLine, EndColumn int
	Text, Func         string
	Changed            string // why it may be another statement than was meant, ""
	Lost               string // why it can't be found, ""; the line is then where it was
}

// On reports whether the side is found and has something of the lines from..to
// of a file.
func (s *Side) On(path string, from, to int) bool {
	return s.Lost == "" && s.Path == path && s.Line <= to && from <= s.EndLine
}

// place names a side's line for users.
func (s *Side) place() string { return fmt.Sprintf("%s:%d", path.Base(s.File), s.Line) }

// KindName is what people call the breakpoint's form.
func (b *Break) KindName() string {
	if b.Kind == "" {
		return "conflict"
	}
	return b.Kind
}

// Releases are the sides in the order in which they go on: that of the places
// where the file's order can't be (Wrong says so).
func (b *Break) Releases() []int {
	order := make([]int, len(b.Places))
	for i := range order {
		order[i] = i + 1
	}
	if slices.Equal(slices.Sorted(slices.Values(b.Order)), order) {
		return b.Order
	}
	return order
}

// Turn is a side's place in the order of release, from 1.
func (b *Break) Turn(side int) int { return slices.Index(b.Releases(), side) + 1 }

// Outcome is the result of the last runs in a few words, "" if there were none.
func (b *Break) Outcome() string {
	if b.Last == nil || b.Last.Runs == 0 {
		return ""
	}
	return fmt.Sprintf("hit %d/%d, failed %d", b.Last.Hits, b.Last.Runs, b.Last.Failed)
}

// LostSides counts the sides that can't be found.
func (b *Break) LostSides() (n int) {
	for i := range b.Places {
		if b.Places[i].Lost != "" {
			n++
		}
	}
	return n
}

// maxSidesShown bounds a hover: those made of findings may have many sides.
const maxSidesShown = 8

// Hover describes the breakpoint as it is seen from one of its sides, from 1; 0
// describes it as a whole.
func (b *Break) Hover(side int, style Style) string {
	head := style.strong("concurrent breakpoint "+style.escape(b.ID)) + " · " + b.KindName()
	if side > 0 {
		head += fmt.Sprintf(" · side %d of %d", side, len(b.Places))
	}
	if b.Off {
		head += " · off"
	}
	parts := []string{style.para(head), b.sideList(side, style), style.para(b.condition(style))}
	if b.Wrong != "" {
		parts = append(parts, style.para(style.strong("invalid")+": "+style.escape(b.Wrong)))
	}
	if o := b.outcome(); o != "" {
		parts = append(parts, style.para(style.escape(o)))
	}
	if b.Note != "" {
		parts = append(parts, style.para(style.escape(b.Note)))
	}
	return strings.Join(parts, "\n")
}

// sideList has a line for each side, in the order of their release.
func (b *Break) sideList(here int, style Style) string {
	var out strings.Builder
	for turn, n := range b.Releases() {
		if turn == maxSidesShown {
			fmt.Fprintf(&out, "- %s\n", words.Count(len(b.Places)-turn, "more side"))
			break
		}
		s := &b.Places[n-1]
		fmt.Fprintf(&out, "- side %d goes on %s: %s in %s", n, ordinal(turn+1), style.source(s.Text), style.link(style.escape(s.place()), s.File, s.Line))
		if s.Func != "" {
			out.WriteString(", " + style.code(s.Func))
		}
		switch {
		case s.Lost != "":
			out.WriteString(" — " + style.strong("lost") + ": " + style.escape(s.Lost))
		case s.Changed != "":
			out.WriteString(" — changed: " + style.escape(s.Changed))
		case n == here:
			out.WriteString(" (here)")
		}
		out.WriteString("\n")
	}
	return out.String()
}

// condition is what must hold for a hit, and how long a side waits.
func (b *Break) condition(style Style) string {
	parts := []string{"no condition"}
	if b.If != "" {
		parts = []string{"if " + style.source(b.If)}
	}
	timeout := "default timeout"
	if b.Timeout != "" {
		timeout = "timeout " + style.escape(b.Timeout)
	}
	parts = append(parts, timeout)
	if b.IgnoreFirst > 0 {
		parts = append(parts, fmt.Sprintf("ignores the first %d", b.IgnoreFirst))
	}
	if b.AtMost > 0 {
		parts = append(parts, "at most "+words.Count(b.AtMost, "hit"))
	}
	return strings.Join(parts, " · ")
}

func (b *Break) outcome() string {
	o := b.Outcome()
	if o == "" {
		return "not run yet"
	}
	return "last run: " + o + " (" + b.Last.When.Local().Format("2006-01-02 15:04") + ")"
}

// source is code as it may be written by anybody.
func (s Style) source(text string) string {
	text = Clip(words.OneLine(text), 60)
	switch {
	case s.Plain:
		return text
	case strings.Contains(text, "`"):
		return "`` " + text + " ``"
	}
	return s.code(text)
}

// Clip cuts a text to a number of bytes, between characters.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

func ordinal(n int) string {
	names := []string{"first", "second", "third", "fourth", "fifth"}
	if n <= len(names) {
		return names[n-1]
	}
	return fmt.Sprintf("%dth", n)
}

// BreakLensOptions say what lenses to offer on breakpoints.
type BreakLensOptions struct {
	Runs  int  // of "run ... times"
	Debug bool // the client can
	Marks bool // the client shows the outcome of the last runs after the line
	// Job is the job that runs a breakpoint, if any.
	Job func(id string) (Job, bool)
}

// Lenses of the breakpoint's sides in a file.
func (b *Break) Lenses(path string, opt BreakLensOptions) (out []Lens) {
	for i := range b.Places {
		s := &b.Places[i]
		if s.Path != path || s.Lost != "" {
			continue
		}
		add := func(title string, a Action) {
			out = append(out, Lens{Line: s.Line, Title: title, Action: a, ID: b.ID})
		}
		add(b.lensTitle(i+1, !opt.Marks), BreakRun)
		if job, ok := opt.Job(b.ID); ok {
			out = append(out, Lens{Line: s.Line, Title: jobTitle(job, "running"), Action: Cancel, Job: job.ID})
		} else if !b.Off {
			add("run "+words.Count(opt.Runs, "time"), BreakRun)
			if opt.Debug {
				add("debug", BreakDebug)
			}
		} else {
			add("turn on", BreakOn)
		}
		add("remove", BreakRemove)
	}
	return out
}

// lensTitle is the state of the breakpoint as a lens shows it, with the outcome of the
// last runs if that is not shown beside it.
func (b *Break) lensTitle(side int, outcome bool) string {
	s := fmt.Sprintf("%s side %d of %d", b.ID, side, len(b.Places))
	switch {
	case b.Off:
		s += ": off"
	case b.LostSides() > 0:
		s += ": " + words.Count(b.LostSides(), "side") + " lost"
	case outcome && b.Outcome() != "":
		s += ": " + b.Outcome()
	}
	return s
}

// jobTitle offers to end a job.
func jobTitle(j Job, doing string) string {
	if j.Waiting {
		return "waiting… (cancel)"
	}
	return doing + "… (cancel)"
}
