package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Roles of stored traces.
const (
	failing = "failing"
	passing = "passing"
)

// keep writes the finding into the store, free of paths of this machine. What a
// search of the same sources knows better stays: one that was cut short, or
// still climbs, takes nothing back that was reproduced.
func (c *confirmation) keep() error {
	roots := c.env.Roots()
	proj, err := json.Marshal(c.proj)
	if err != nil {
		return fmt.Errorf("encode the explanation: %w", err)
	}
	traces := map[string][]byte{}
	for role, t := range map[string]*trace.Trace{failing: c.fail, passing: c.pass} {
		if t == nil {
			continue
		}
		if traces[role], err = encode(t, roots.Name); err != nil {
			return fmt.Errorf("encode the %s trace: %w", role, err)
		}
	}
	t, src := c.job.Target, c.sourcesOf(c.job.Dir)
	r := &store.Record{
		Found: c.started.UTC(), Hocket: Version(), GoVersion: c.env.GoVersion, Module: c.env.ModulePath,
		Package: t.Package, Entry: t.Entry, Main: t.Main, TestRun: t.TestRun, Args: t.Args, Flags: c.opt.Flags,
		Sources: src.sums(roots, t.Dir, c.f), Finding: c.f,
		Schedule: portable(c.simple.Schedule, roots.Name), Hash: c.simple.Result.Hash,
		Signature: c.signature(), Projection: proj,
	}
	if old, err := c.store.Get(c.f.ID); err == nil && outranks(old, r) {
		return nil
	}
	return c.store.Put(r, traces, src.texts(roots, shownFiles(c.f, c.proj)))
}

// outranks reports whether a stored finding is known better than the same one
// found again in the same sources.
func outranks(old, again *store.Record) bool {
	if old.Finding.ID != again.Finding.ID || old.Hocket != again.Hocket || old.GoVersion != again.GoVersion ||
		old.Flags != again.Flags || !slices.Equal(old.Args, again.Args) || !again.Sources.SameAs(old.Sources) {
		return false
	}
	return slices.Compare(strength(old), strength(again)) > 0
}

// unexplainedTwin is the id for a finding that was identified by its root cause,
// which is not known in full when a search is cut short: that of a stored
// finding which fails in the same way, if either lacks its explanation.
func unexplainedTwin(known []*store.Record, f *report.Finding, signature string, explained bool) string {
	id := f.ID
	for _, r := range known {
		if r.Finding.ID == f.ID {
			return f.ID
		}
		if r.Package == f.Package && r.Entry == f.Entry && r.Finding.Kind == f.Kind && sameButLines(r.Signature, signature) &&
			!(explained && isExplained(r)) {
			id = r.Finding.ID
		}
	}
	return id
}

func isExplained(r *store.Record) bool {
	return len(r.Projection) > 0 && string(r.Projection) != "null"
}

// strength orders how well findings are known: the level, whether there is an
// explanation, the replays.
func strength(r *store.Record) []int {
	level := map[report.Level]int{report.RaceProved: 1, report.Pinned: 2, report.Native: 3}[r.Finding.Confirmed]
	explained := 0
	if isExplained(r) {
		explained = 1
	}
	return []int{level, explained, r.Finding.Replay.Failed}
}

func (c *confirmation) signature() string {
	if c.caught.Race != nil {
		return run.RaceSignature(*c.caught.Race).String()
	}
	return run.SignatureOf(c.simple.Result).String()
}

// showsAgain reports whether a run fails as the signature says. Line numbers don't
// count: an edit above moves them, and must not look like a fix. On unchanged
// sources the schedule leaves nothing open, so that nothing is lost.
func showsAgain(r *run.Result, signature string) bool {
	return sameButLines(run.SignatureOf(r).String(), signature) ||
		slices.ContainsFunc(r.Races, func(p run.RacePair) bool {
			return sameButLines(run.RaceSignature(p).String(), signature)
		})
}

var lineOfPlace = regexp.MustCompile(`(\([^()]+):\d+\)`) // "f (a.go:12)", see run.PlaceOf

func sameButLines(a, b string) bool {
	return lineOfPlace.ReplaceAllString(a, "$1)") == lineOfPlace.ReplaceAllString(b, "$1)")
}

// filesOf lists the sources that the finding names.
func filesOf(f *report.Finding) []string {
	files := []string{f.Failure.File}
	for _, a := range f.RootCause {
		files = append(files, a.File)
		if a.Call != nil {
			files = append(files, a.Call.File)
		}
	}
	return inOrder(files)
}

// inOrder sorts names of files, without std and what is in no file.
func inOrder(files []string) []string {
	slices.Sort(files)
	return slices.DeleteFunc(slices.Compact(files), func(f string) bool {
		return f == "" || strings.HasPrefix(f, "std/") || strings.HasPrefix(f, "<")
	})
}

// portable renames the places of a schedule; the program counters hold for
// this build only and stay as a hint.
func portable(s trace.Schedule, rename func(string) string) trace.Schedule {
	s.HotSites = slices.Clone(s.HotSites)
	for i, site := range s.HotSites {
		if file, line, ok := cutLast(site, ":"); ok {
			s.HotSites[i] = rename(file) + ":" + line
		}
	}
	return s
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// renamed is a copy of the trace with other file names.
func renamed(t *trace.Trace, rename func(string) string) *trace.Trace {
	c := *t
	c.Stacks = make([][]trace.Frame, len(t.Stacks))
	for i, stack := range t.Stacks {
		c.Stacks[i] = slices.Clone(stack)
		for j := range stack {
			c.Stacks[i][j].File = rename(stack[j].File)
		}
	}
	if c.StdRoot != "" {
		c.StdRoot = strings.TrimSuffix(rename(c.StdRoot+"/x"), "/x")
	}
	c.Schedule = portable(t.Schedule, rename)
	return &c
}

func encode(t *trace.Trace, rename func(string) string) ([]byte, error) {
	var buf bytes.Buffer
	if err := trace.Write(&buf, renamed(t, rename)); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// loadTrace reads a stored trace for this machine's folders.
func loadTrace(st *store.Store, r *store.Record, role string, roots site.Roots) (*trace.Trace, error) {
	data, err := st.Trace(r, role)
	if err != nil {
		return nil, err
	}
	t, err := trace.Read(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("the %s trace of finding %s is corrupt (%w); run hocket find again", role, r.Finding.ID, err)
	}
	return renamed(t, roots.Abs), nil
}
