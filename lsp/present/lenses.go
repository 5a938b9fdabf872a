package present

import (
	"fmt"
	"strings"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/internal/words"
)

// Action is what a lens, or an offered action, does.
type Action string

const (
	Find    Action = "find"
	Replay  Action = "replay"
	Explain Action = "explain"
	Debug   Action = "debug"
	Cancel  Action = "cancel"
	List    Action = "list"

	BreakSet    Action = "break.set"
	BreakRun    Action = "break.run"
	BreakDebug  Action = "break.debug"
	BreakRemove Action = "break.remove"
	BreakOn     Action = "break.on"
	BreakOff    Action = "break.off"
	BreakFrom   Action = "break.fromFinding"
	LookForFix  Action = "fix"
)

// Lens is a command above a function.
type Lens struct {
	Line   int
	Column int // of the access that it is about; 0 if it is about the line
	Title  string
	Action Action
	Entry  string // what to find
	ID     string // which finding, or breakpoint
	Job    string // what to cancel
}

// Job is a job on an entry that runs or waits.
type Job struct {
	ID      string
	Replay  bool // else a search
	Break   bool // runs with breakpoints
	Waiting bool
}

// LensOptions say what to offer.
type LensOptions struct {
	Dir                   string // the package's folder below the module's root
	Find, Replay, Explain bool
	Debug                 bool // findings can be debugged
	// Job is the job on an entry, if any.
	Job func(entry string) (Job, bool)
}

// maxLenses bounds the findings that have lenses of their own on an entry.
const maxLenses = 3

// Lenses of a file, from its outline. The view may be nil: nothing is known
// of findings then.
func Lenses(outline []engine.Entry, v *View, opt LensOptions) []Lens {
	var out []Lens
	for _, e := range outline {
		l := lensing{opt: opt, entry: e.Name, line: e.Line}
		l.start()
		if v != nil {
			l.findings(v.Of(opt.Dir, e.Name))
		}
		out = append(out, l.out...)
	}
	return out
}

// lensing makes the lenses of one entry.
type lensing struct {
	opt   LensOptions
	entry string
	line  int
	out   []Lens
}

func (l *lensing) add(title string, a Action, id string) {
	l.out = append(l.out, Lens{Line: l.line, Title: title, Action: a, Entry: l.entry, ID: id})
}

// start offers to search, or to end the job that does.
func (l *lensing) start() {
	if l.opt.Job != nil {
		if job, ok := l.opt.Job(l.entry); ok {
			title := "searching… (cancel)"
			switch {
			case job.Waiting:
				title = "waiting… (cancel)"
			case job.Replay:
				title = "replaying… (cancel)"
			case job.Break:
				title = "running… (cancel)"
			}
			l.out = append(l.out, Lens{Line: l.line, Title: title, Action: Cancel, Entry: l.entry, Job: job.ID})
			return
		}
	}
	if l.opt.Find {
		l.add("find failing schedule", Find, "")
	}
}

func (l *lensing) findings(items []*Item) {
	var shown, older []*Item
	for _, it := range items {
		if it.State == Older {
			older = append(older, it)
		} else {
			shown = append(shown, it)
		}
	}
	for i, it := range shown {
		if i == maxLenses {
			break
		}
		l.finding(it, len(shown) > 1)
	}
	if n := len(shown) - maxLenses; n > 0 {
		l.add(words.Count(n, "more finding"), List, "")
	}
	if len(older) > 0 && l.opt.Replay {
		l.add(words.Count(len(older), "finding")+" of an older version: replay", Replay, older[0].Finding.ID)
	}
}

// finding offers to replay and to explain it. Where there are several, the
// titles tell them apart.
func (l *lensing) finding(it *Item, several bool) {
	which := ""
	if several {
		which = ": " + strings.ReplaceAll(it.Finding.Kind, "-", " ")
		if it.primary >= 0 {
			which += fmt.Sprintf(" (line %d)", it.steps[it.primary].span.Line)
		}
	}
	if l.opt.Replay {
		failed, runs := it.Replayed()
		title := fmt.Sprintf("replay %d/%d%s", failed, runs, which)
		switch {
		case it.State == Fixed:
			title = "no longer fails: " + title
		case it.Outdated:
			title += ", outdated"
		case it.State == Changed, it.Touched && !it.Now:
			title += ", changed since found"
		}
		l.add(title, Replay, it.Finding.ID)
	}
	if l.opt.Explain {
		l.add("explain"+which, Explain, it.Finding.ID)
	}
	if l.opt.Debug {
		l.add("debug this schedule"+which, Debug, it.Finding.ID)
	}
}

// Offered is what can be done about what stands on a line.
type Offered struct {
	Title  string
	Action Action
	ID     string
}

// maxOffered bounds the findings of one line for which actions are offered.
const maxOffered = 3

// Actions are offered on the lines from..to of a file; runs is how often a
// replay will run.
func (v *View) Actions(name string, from, to, runs int) []Offered {
	var out []Offered
	for i, it := range v.On(name, from, to) {
		if i == maxOffered {
			break
		}
		out = append(out,
			Offered{fmt.Sprintf("Replay %s: %s", words.Count(runs, "time"), what(it.Finding)), Replay, it.Finding.ID},
			Offered{"Explain: " + what(it.Finding), Explain, it.Finding.ID},
			Offered{"Turn finding into concurrent breakpoints: " + what(it.Finding), BreakFrom, it.Finding.ID})
		if it.State != Fixed {
			out = append(out, Offered{"Look for a fix: " + what(it.Finding), LookForFix, it.Finding.ID})
		}
	}
	return out
}

// Replayed is how often it failed, in the newest replay of today's texts or when found. A
// replay that did not fail at a level which the finding never reached says nothing new.
func (it *Item) Replayed() (failed, runs int) {
	if l := it.Last; l != nil && it.Now && l.Runs > 0 && (l.Failed > 0 || reached(it.Finding, report.Level(l.Level))) {
		return l.Failed, l.Runs
	}
	return it.Finding.Replay.Failed, it.Finding.Replay.Runs
}

// reached reports whether a finding was ever seen at a level.
func reached(f *report.Finding, level report.Level) bool {
	switch level {
	case report.Native:
		return f.HappensNatively()
	case report.Pinned:
		return f.Pinned != nil && f.Pinned.Failed > 0
	}
	return true
}
