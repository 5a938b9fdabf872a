package fixes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/native"
	"github.com/hocket-dev/hocket/engine/overlay"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/repair"
	"github.com/hocket-dev/hocket/engine/repair/verify"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/stored"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/process"
	"github.com/hocket-dev/hocket/internal/version"
	"github.com/hocket-dev/hocket/internal/words"
)

// Defaults of Options.
const (
	DefaultBudget = 60 * time.Second
	DefaultEnough = 2
)

// Options says which finding to repair.
type Options struct {
	Dir    string // "" is the current folder
	ID     string // or the start of one
	Budget time.Duration
	// Enough is how many verified fixes are looked for.
	Enough int
	// Fresh: fixes that are kept are not used.
	Fresh   bool
	Overlay map[string]string // as go build -overlay has it
}

// Answer is what came of it. Fixes are in the order in which they should be offered:
// verified ones first, each group the smallest first.
type Answer struct {
	ID      string          `json:"id"`
	Message string          `json:"message"`
	Fixes   []report.Fix    `json:"fixes"`
	Refused []store.Refused `json:"refused,omitempty"`
	Cut     bool            `json:"cut,omitempty"`  // the time ended before all that was planned was tried
	Kept    bool            `json:"kept,omitempty"` // they were found earlier, in the same texts
	Note    string          `json:"note,omitempty"`
	// Reason says why not all was tried, and how much was: "interrupted: 2 of 5 edits
	// were tried to the end". "" if all was, or what was asked for was found.
	Reason  string `json:"reason,omitempty"`
	Applied int    `json:"applied,omitempty"` // the fix of this number was written, from 1

	texts map[string][]byte // that the edits are of, by the names in them
	roots site.Roots
}

// Verified is how many fixes hold.
func (a *Answer) Verified() (n int) {
	for _, f := range a.Fixes {
		if f.Verified != "" {
			n++
		}
	}
	return n
}

// WhyNone says in a line why there is no verified fix; "" if there is one.
func (a *Answer) WhyNone() string {
	switch {
	case a.Verified() > 0:
		return ""
	case a.Reason != "":
		return "no verified fix so far: " + a.Reason
	case len(a.Fixes) > 0:
		return "no verified fix: " + a.Fixes[0].Title + ": " + a.Fixes[0].Reason + others(len(a.Fixes)+len(a.Refused)-1, "did not hold or was refused", "did not hold or were refused")
	case len(a.Refused) > 0:
		return "no repair is known: " + a.Refused[0].Title + ": " + a.Refused[0].Why + others(len(a.Refused)-1, "was refused", "were refused")
	}
	return "no repair is known: no rule fits the steps of its cause"
}

// others says what became of more edits than the one that was named.
func others(more int, was, were string) string {
	if more == 0 {
		return ""
	}
	return "; " + words.CountOf(more, "other edit "+was, "other edits "+were)
}

// work is one finding with its sources.
type work struct {
	opened  *stored.Opened
	overlay *overlay.Files
	code    *repair.Code
	others  []target.Target
	roots   site.Roots
}

// Find looks for fixes of a finding.
func Find(ctx context.Context, opt Options, tell progress.Func) (*Answer, error) {
	if opt.Budget < 0 {
		return nil, fmt.Errorf("-budget %v: must not be negative", opt.Budget)
	}
	start := time.Now()
	ctx, done := process.Guard(ctx)
	defer done()
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(opt.Budget, DefaultBudget))
	defer cancel()
	w, err := open(ctx, opt.Dir, opt.ID, opt.Overlay)
	if err != nil {
		return early(ctx, opt.ID, "", err)
	}
	old := w.kept()
	if old != nil && !opt.Fresh && (old.All || verified(old.Fixes) >= cmp.Or(opt.Enough, DefaultEnough)) {
		return w.answer(old.Fixes, old.Refused, !old.All, true), nil
	}
	if tell == nil {
		tell = func(progress.Update) {}
	}
	tell(progress.Update{Phase: progress.Building, Target: w.name(), Left: -1})
	if err := w.read(ctx); err != nil {
		return early(ctx, w.opened.Record.Finding.ID, w.opened.Record.Finding.Headline(), err)
	}
	f := w.opened.Record.Finding
	candidates, refused := repair.Propose(ctx, &repair.Problem{Finding: f, Roots: w.roots, Code: w.code})
	all, cut, err := w.try(ctx, candidates, cmp.Or(opt.Enough, DefaultEnough), start, tell)
	if err != nil {
		return nil, err
	}
	var why []store.Refused
	for _, r := range refused {
		why = append(why, store.Refused{Title: r.Title, Why: r.Why})
	}
	a := w.answer(all, why, cut, false)
	a.Reason = shortfall(ctx, all, len(candidates))
	if cut && old != nil && verified(old.Fixes) > a.Verified() {
		return a, nil // what was kept of these texts is worth more
	}
	kept := &store.Fixes{When: time.Now().UTC(), Hocket: version.Build(), Sources: w.sums(), All: !cut, Fixes: a.Fixes, Refused: why}
	if err := w.opened.Store.PutFixes(f.ID, kept); err != nil {
		a.Note = "the fixes are not kept: " + words.OneLine(err.Error())
	}
	return a, nil
}

// early is the answer of a call that ended before there was an edit to try; message is ""
// if the finding was not read by then.
func early(ctx context.Context, id, message string, err error) (*Answer, error) {
	if ctx.Err() == nil {
		return nil, err
	}
	why := "interrupted before an edit was tried"
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		why = "the time ended before an edit was tried; -budget gives more"
	}
	return &Answer{ID: id, Message: message, Fixes: []report.Fix{}, Cut: true, Reason: why}, nil
}

// shortfall says why not all candidates were tried, and how many were, if the call ended
// early.
func shortfall(ctx context.Context, all []report.Fix, candidates int) string {
	if ctx.Err() == nil {
		return ""
	}
	tried := 0
	for i := range all {
		if !verify.Unfinished(&all[i]) {
			tried++
		}
	}
	so := fmt.Sprintf("%d of %s tried to the end", tried, words.CountOf(candidates, "edit was", "edits were"))
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return "the time ended: " + so + "; -budget gives more"
	}
	return "interrupted: " + so
}

// Check tries new texts of files, by absolute name, as a fix of a finding.
func Check(ctx context.Context, opt Options, files map[string][]byte, tell progress.Func) (*report.Fix, error) {
	ctx, done := process.Guard(ctx)
	defer done()
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(opt.Budget, DefaultBudget))
	defer cancel()
	w, err := open(ctx, opt.Dir, opt.ID, opt.Overlay)
	if err != nil {
		return nil, err
	}
	if err := w.read(ctx); err != nil {
		return nil, err
	}
	v, err := verify.New(w.request())
	if err != nil {
		return nil, err
	}
	defer v.Close()
	return v.Check(ctx, files)
}

// open finds the finding and its target in the texts of today.
func open(ctx context.Context, dir, id string, replace map[string]string) (*work, error) {
	a, err := stored.Open(ctx, dir, id)
	if err != nil {
		return nil, err
	}
	if m := a.Record.Schedule.Memory; m != "" {
		return nil, fmt.Errorf("finding %s happens under the memory model %s, under which no fix can be verified; it comes from a data race: fix that, which hocket find reports, by an atomic or a lock", id, m)
	}
	w := &work{opened: a, roots: a.Env.Roots()}
	if w.overlay, err = build.Unsaved(replace, a.Env.Module); err != nil {
		return nil, err
	}
	if err := w.unchanged(); err != nil {
		return nil, err
	}
	a.Use(w.overlay)
	return w, a.Locate(ctx)
}

// unchanged makes sure that the steps of the cause are where the finding says.
func (w *work) unchanged() error {
	r := w.opened.Record
	for _, name := range stored.FilesOf(r.Finding) {
		was, known := r.Sources[name]
		if !known {
			was, known = r.Path[name]
		}
		if !strings.HasSuffix(name, ".go") {
			return fmt.Errorf("finding %s is in %s, which a //line comment of a generated file names: no edit of generated code would last; change %s and generate it again", r.Finding.ID, name, name)
		}
		text, err := w.overlay.ReadFile(w.roots.Abs(name))
		if err != nil {
			return fmt.Errorf("finding %s: read %s: %w", r.Finding.ID, name, err)
		}
		if known && was != store.Unknown && store.SumText(string(text)) != was {
			if w.opened.Fixed() {
				return fmt.Errorf("finding %s is fixed: %s changed, and a search of these sources ended without it; there is nothing to fix", r.Finding.ID, name)
			}
			return fmt.Errorf("%s changed since finding %s was made; run hocket find again, then hocket fix", name, r.Finding.ID)
		}
	}
	return nil
}

func (w *work) name() string { return w.opened.Record.Package + " " + w.opened.Record.Entry }

// read loads the packages of the cause, with types, and the other tests of the package.
func (w *work) read(ctx context.Context) error {
	r := w.opened.Record
	var err error
	it := build.Target(w.opened.Env, w.opened.Target, r.Flags)
	if w.code, err = repair.Load(ctx, w.opened.Target.Dir, repair.Patterns(r.Finding), it.Flags, it.Environ(), w.overlay); err != nil {
		return fmt.Errorf("finding %s: %w", r.Finding.ID, err)
	}
	all, _, err := target.Discover(ctx, w.opened.Env, target.Query{Patterns: []string{r.Package}, Flags: r.Flags, Args: r.Args, Overlay: w.overlay})
	if err != nil {
		return fmt.Errorf("finding %s: %w", r.Finding.ID, err)
	}
	top, _, _ := strings.Cut(r.Entry, "/")
	for _, t := range all {
		if t.Entry != top && t.Main == r.Main {
			w.others = append(w.others, t)
		}
	}
	return nil
}

func (w *work) request() verify.Request {
	r := w.opened.Record
	q := verify.Request{Env: w.opened.Env, Target: w.opened.Target, Flags: r.Flags, Others: w.others, Finding: r.Finding,
		Schedule: r.Schedule, Signature: r.Signature, Known: w.known(), Strategy: "auto", Delay: 0, Code: w.code, Roots: w.roots}
	// Without the trace, or one that this version can't read, its order is not played.
	q.Fail, _ = stored.LoadTrace(w.opened.Store, r, stored.Failing, w.roots)
	for _, e := range r.Core {
		q.Core = append(q.Core, native.Edge{Before: e[0], After: e[1]})
	}
	return q
}

// known are the signatures of the target's other findings.
func (w *work) known() (list []string) {
	r := w.opened.Record
	all, _ := w.opened.Store.List()
	for _, o := range all {
		if o.Finding.ID != r.Finding.ID && o.Package == r.Package && o.Entry == r.Entry {
			list = append(list, o.Signature)
		}
	}
	return list
}

// inFlight is how many candidates are worked on at a time: while one is searched, the
// next one is built.
const inFlight = 2

// try verifies candidates, in their order, until enough hold.
func (w *work) try(ctx context.Context, candidates []*repair.Repair, enough int, start time.Time, tell progress.Func) (all []report.Fix, cut bool, err error) {
	v, err := verify.New(w.request())
	if err != nil {
		return nil, false, err
	}
	defer v.Close()
	var mu sync.Mutex
	var wg sync.WaitGroup
	results := make([]*report.Fix, len(candidates))
	next, good, whole := 0, 0, 0
	for range min(inFlight, len(candidates)) {
		wg.Go(func() {
			for {
				mu.Lock()
				if next >= len(candidates) || whole >= enough || good >= 2*enough || ctx.Err() != nil || err != nil {
					cut = cut || next < len(candidates)
					mu.Unlock()
					return
				}
				i := next
				next++
				if slices.ContainsFunc(results[:i], func(f *report.Fix) bool { return f != nil && w.outdone(candidates[i], f) }) {
					mu.Unlock()
					continue
				}
				tell(progress.Update{Phase: progress.Searching, Target: w.name(), Left: -1, Message: fmt.Sprintf("fix %d of %d: %s", i+1, len(candidates), candidates[i].Title)})
				mu.Unlock()
				fix, bad := w.verify(ctx, v, candidates[i])
				mu.Lock()
				switch {
				case bad != nil:
					err = cmp.Or(err, bad)
				default:
					fix.MS = time.Since(start).Milliseconds()
					results[i] = fix
					if fix.Verified != "" {
						good++
						if !verify.Stays(fix) {
							whole++
						}
					}
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if err != nil && ctx.Err() == nil {
		return nil, false, err
	}
	for i, f := range results { // two are tried at once
		if f != nil && !slices.ContainsFunc(results, func(by *report.Fix) bool { return by != nil && w.outdone(candidates[i], by) }) {
			all = append(all, *f)
		}
	}
	slices.SortStableFunc(all, func(a, b report.Fix) int { return rank(&a) - rank(&b) })
	return all, cut || ctx.Err() != nil, nil
}

// outdone reports whether a candidate takes a new lock at lines where a fix that holds,
// and leaves nothing else, takes one that is there.
func (w *work) outdone(r *repair.Repair, by *report.Fix) bool {
	return r.Kind == repair.NewLock && by.Verified != "" && by.Kind == repair.ExtendLock && !verify.Stays(by) && len(r.Regions) > 0 &&
		!slices.ContainsFunc(r.Regions, func(a repair.Region) bool {
			return !slices.ContainsFunc(by.Regions, func(b report.Region) bool {
				return w.roots.Name(a.File) == b.File && a.From <= b.To && b.From <= a.To
			})
		})
}

// rank puts what mends what is tested before what mends the test, of these what mends all
// that is known of the test first, and what is not verified last.
func rank(f *report.Fix) (n int) {
	if f.Verified == "" {
		return 4
	}
	if verify.Stays(f) {
		n = 1
	}
	if slices.ContainsFunc(f.Edits, func(e report.FixEdit) bool { return strings.HasSuffix(e.File, "_test.go") }) {
		n += 2
	}
	return n
}

func (w *work) verify(ctx context.Context, v *verify.Verifier, r *repair.Repair) (*report.Fix, error) {
	fix, err := v.Check(ctx, r.Files)
	if err != nil {
		return nil, fmt.Errorf("finding %s: %w", w.opened.Record.Finding.ID, err)
	}
	fix.Title, fix.Kind, fix.Dependency = r.Title, r.Kind, r.Dependency
	fix.Tells = append(slices.Clone(r.Tells), fix.Tells...)
	for _, g := range r.Regions {
		fix.Regions = append(fix.Regions, report.Region{File: w.roots.Name(g.File), From: g.From, To: g.To, With: g.With})
	}
	return fix, nil
}

// kept are the fixes that are stored, if they are of the texts of today and this build
// of Hocket found them: another one may have other rules.
func (w *work) kept() *store.Fixes {
	f := w.opened.Store.Fixes(w.opened.Record)
	if f == nil || f.Hocket != version.Build() || !f.Sources.SameAs(w.sums()) {
		return nil
	}
	return f
}

// sums are those of the texts that a fix depends on.
func (w *work) sums() store.Sums {
	return store.SumOf(w.roots, w.opened.Target.Dir, w.opened.Record.Files(), func(path string) (string, bool) {
		text, err := w.overlay.ReadFile(path)
		return string(text), err == nil
	})
}

func (w *work) answer(all []report.Fix, refused []store.Refused, cut, kept bool) *Answer {
	f := w.opened.Record.Finding
	a := &Answer{ID: f.ID, Message: f.Headline(), Fixes: all, Refused: refused, Cut: cut, Kept: kept, texts: map[string][]byte{}, roots: w.roots}
	if a.Fixes == nil {
		a.Fixes = []report.Fix{}
	}
	for _, fix := range all {
		for _, e := range fix.Edits {
			if text, err := w.overlay.ReadFile(w.roots.Abs(e.File)); err == nil {
				a.texts[e.File] = text
			}
		}
	}
	for i := range a.Fixes {
		if diff, err := a.diff(&a.Fixes[i]); err == nil {
			a.Fixes[i].Diff = diff
		}
	}
	return a
}

func verified(list []report.Fix) (n int) {
	for _, f := range list {
		if f.Verified != "" {
			n++
		}
	}
	return n
}
