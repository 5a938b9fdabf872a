package present

import (
	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report"
)

// Action is what a lens, or an offered action, does.
type Action string

const (
	Find    Action = "find"
	Replay  Action = "replay"
	Explain Action = "explain"
	Step    Action = "schedule"
	Debug   Action = "debug"
	Cancel  Action = "cancel"
	List    Action = "list"
	Choose  Action = "choose"

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
	// Verdict is what a search of today's texts came to that found nothing, in a few
	// words; "" if there was none.
	Verdict func(entry string) string
}

// more ends the title of a lens that opens a list.
const more = " ▸"

// Lenses of a file, from its outline: at most one for each entry. The view may be
// nil: nothing is known of findings then.
func Lenses(outline []engine.Entry, v *View, opt LensOptions) []Lens {
	var out []Lens
	for _, e := range outline {
		var items []*Item
		if v != nil && (opt.Replay || opt.Explain || opt.Debug) {
			items = v.Of(opt.Dir, e.Name)
		}
		if l, ok := opt.lens(e.Name, items); ok {
			l.Line, l.Entry = e.Line, e.Name
			out = append(out, l)
		}
	}
	return out
}

// lens is the one of an entry: what runs, else what fails, else what a search came to,
// else what once failed, else the offer to search.
func (opt LensOptions) lens(entry string, items []*Item) (Lens, bool) {
	if opt.Job != nil {
		if job, ok := opt.Job(entry); ok {
			return Lens{Title: job.title(), Action: Cancel, Job: job.ID}, true
		}
	}
	verdict := ""
	if opt.Verdict != nil && opt.Find {
		verdict = opt.Verdict(entry)
	}
	_, line := Summary(items, verdict, false)
	switch {
	case line != "":
		return Lens{Title: line + more, Action: Choose}, true
	case opt.Find:
		return Lens{Title: "find failing schedule", Action: Find}, true
	}
	return Lens{}, false
}

func (j Job) title() string {
	switch {
	case j.Waiting:
		return "waiting… (cancel)"
	case j.Replay:
		return "replaying… (cancel)"
	case j.Break:
		return "running… (cancel)"
	}
	return "searching… (cancel)"
}

// since says that none of the findings is of today's text.
func since(items []*Item) string {
	words := ""
	for _, it := range items {
		if words = it.since(); words == "" {
			return ""
		}
	}
	return words
}

func (it *Item) since() string {
	switch {
	case it.Outdated:
		return ", outdated"
	case it.State == Changed, it.Touched && !it.Now:
		return ", changed since found"
	}
	return ""
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
