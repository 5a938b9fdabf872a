package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/breakpoints/breakfile"
	"github.com/hocket-dev/hocket/breakpoints/reproduce"
	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/native"
	"github.com/hocket-dev/hocket/engine/overlay"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/process"
)

// BreakFromFindingOptions says which finding to turn into breakpoints.
type BreakFromFindingOptions struct {
	Dir string // "" is the current folder
	ID  string // or the start of one
}

// proofRuns is how often a finding's order is played before it is written
// down, and enoughProof how many of them must fail.
const (
	proofRuns   = 20
	enoughProof = 15
)

// BreakFromFinding writes a breakpoint of kind "schedule" that makes the
// finding happen on the ordinary build, after seeing it do so. A second one of
// the same finding takes the place of the first.
func BreakFromFinding(ctx context.Context, opt BreakFromFindingOptions, progress Progress) (*Break, error) {
	if progress == nil {
		progress = func(Update) {}
	}
	ctx, done := process.Guard(ctx)
	defer done()
	s, err := scheduleOf(ctx, opt.Dir, opt.ID, progress)
	if err != nil {
		return nil, err
	}
	root := s.again.env.Module
	if err := breakfile.Writable(root); err != nil { // the proof takes long
		return nil, err
	}
	b, err := s.breakpoint()
	if err != nil {
		return nil, err
	}
	run, err := runSchedule(ctx, s.again.env, b, RunBreaksOptions{N: proofRuns}, progress)
	if err != nil {
		return nil, fmt.Errorf("finding %s: %w", s.id(), err)
	}
	if lost := run.Breakpoints[0].Lost; lost != "" {
		return nil, fmt.Errorf("finding %s: %s; run hocket find again", s.id(), lost)
	}
	if run.Failed < enoughProof {
		return nil, s.unproved(run.Failed, run.Runs, strings.Join(run.Breakpoints[0].Notes, "; "))
	}
	err = updateBreaks(root, func(f *breakfile.File) error {
		for i, old := range f.Breakpoints {
			if old.Schedule != nil && old.Schedule.Finding == b.Schedule.Finding {
				b.ID = old.ID
				f.Breakpoints[i] = b
				return nil
			}
		}
		f.Add(b)
		return nil
	})
	if err != nil {
		return nil, err
	}
	list, err := Breaks(ctx, root, nil)
	if err != nil {
		return nil, err
	}
	for _, x := range list.Breaks {
		if x.ID == b.ID {
			return x, nil
		}
	}
	return nil, fmt.Errorf("breakpoint %s was removed while it was written", b.ID)
}

// schedule is a finding's order in terms of statements.
type schedule struct {
	again  *again
	target instrument.Target
	texts  store.Texts // that the finding was made from
	judge  reproduce.Judge
	stated *native.Stated
}

func (s *schedule) id() string { return s.again.record.Finding.ID }

// read gives a source as it was when the finding was made: the trace speaks of
// its lines.
func (s *schedule) read(file string) ([]byte, error) {
	if text, ok := s.texts[s.again.env.Roots().Name(file)]; ok {
		return []byte(text), nil
	}
	return os.ReadFile(file)
}

func (s *schedule) unproved(failed, runs int, why string) error {
	if why != "" {
		why = " (" + oneLine(why) + ")"
	}
	return fmt.Errorf("finding %s: its order fails only %d of %d runs of the ordinary build%s, so it is not written down; hocket replay %s shows it under control",
		s.id(), failed, runs, why, s.id())
}

// scheduleOf derives the order of a finding.
func scheduleOf(ctx context.Context, dir, id string, progress Progress) (*schedule, error) {
	a, err := openAgain(ctx, dir, id)
	if err != nil {
		return nil, err
	}
	if a.outdated != "" { // its statements are looked for in today's texts
		progress(Update{Message: a.outdated, Left: -1})
	}
	progress(Update{Phase: Building, Target: a.record.Package + " " + a.record.Entry, Left: -1})
	if a.overlay, err = withoutEmpty(a); err != nil {
		return nil, err
	}
	if err := a.locate(ctx); err != nil {
		return nil, err
	}
	fail, err := loadTrace(a.store, a.record, failing, a.env.Roots())
	if errors.Is(err, store.ErrNoTrace) {
		return nil, fmt.Errorf("%w, from which its order is taken; hocket find %s may keep one, hocket replay %s shows it under control", err, a.record.Package, id)
	}
	if err != nil {
		return nil, err
	}
	s := &schedule{again: a}
	if s.texts, err = a.store.Texts(a.record); err != nil {
		return nil, err
	}
	var at []trace.Frame
	if fail.Outcome.Kind == trace.Raced {
		s.judge, at, err = raceJudge(fail, a.record)
	} else {
		s.judge, at, err = native.JudgeOf(fail, funcOf(a.record.Entry))
	}
	if err != nil {
		return nil, fmt.Errorf("finding %s: %w; hocket replay %s shows it under control", s.id(), err, s.id())
	}
	if err := s.blocked(at); err != nil {
		return nil, err
	}
	s.target = Target(a.env, a.target, a.record.Flags)
	s.judge.Flags = append(s.judge.Flags, s.target.Flags...)
	if a.record.Flags.Short && !a.record.Main {
		s.judge.Args = append(s.judge.Args, "-test.short")
	}
	s.judge.Args = append(s.judge.Args, a.record.Args...)
	s.stated, err = native.StateOf(fail, s.read, func(file string) bool {
		return strings.HasPrefix(a.env.Roots().Name(file), "std/")
	})
	if err != nil {
		return nil, fmt.Errorf("finding %s: %w; hocket replay %s shows it under control", s.id(), err, s.id())
	}
	return s, nil
}

// withoutEmpty hides the package's empty Go files: a shell makes one before it
// runs `hocket test ID > x_test.go`.
func withoutEmpty(a *again) (*overlay.Files, error) {
	rel, ok := strings.CutPrefix(a.record.Package, a.record.Module)
	if !ok {
		return nil, nil
	}
	hidden := map[string]string{}
	for _, file := range pathsOf(filepath.Join(a.env.Module, filepath.FromSlash(rel)), "") {
		if st, err := os.Stat(file); err == nil && st.Size() == 0 {
			hidden[file] = ""
		}
	}
	q, err := (&FindOptions{Overlay: hidden}).query(a.env.Module)
	return q.Overlay, err
}

func funcOf(entry string) string {
	name, _, _ := strings.Cut(entry, "/")
	return name
}

// raceJudge: only a build with the race detector shows a race.
func raceJudge(t *trace.Trace, r *store.Record) (reproduce.Judge, []trace.Frame, error) {
	j := reproduce.Judge{Kind: string(trace.Raced), Flags: []string{"-race"}}
	for _, race := range t.Races {
		p := pairOf(t, race)
		if run.SameButLines(run.RaceSignature(p).String(), r.Signature) && p.First.File != "" && p.Second.File != "" {
			return j, []trace.Frame{p.First, p.Second}, nil
		}
	}
	return j, nil, errors.New("its failing run does not hold both accesses of the race")
}

// blocked keeps where goroutines wait as statements.
func (s *schedule) blocked(at []trace.Frame) error {
	for _, f := range at {
		p, err := s.fingerprint(f.File, f.Line, 0)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(s.judge.Blocked, func(q breakfile.Place) bool { return samePlace(p, q) }) {
			s.judge.Blocked = append(s.judge.Blocked, p)
		}
	}
	return nil
}

func samePlace(a, b breakfile.Place) bool {
	return a.File == b.File && a.Line == b.Line && a.Column == b.Column
}

func (s *schedule) fingerprint(file string, line, col int) (breakfile.Place, error) {
	src, err := s.read(file)
	if err != nil {
		return breakfile.Place{}, err
	}
	name := s.again.env.Roots().Name(file)
	p, err := breakfile.Fingerprint(src, name, line, col)
	if err == nil {
		var at breakfile.Location
		if at, err = breakfile.Locate(p, src); err == nil && col > 0 && (at.Line != line || at.Column != col) {
			err = fmt.Errorf("its fingerprint leads to %d:%d", at.Line, at.Column)
		}
	}
	if err != nil {
		return p, fmt.Errorf("finding %s: the statement at %s:%d has no fingerprint: %w", s.id(), name, line, err)
	}
	return p, nil
}

// breakpoint is the entry of the breakpoints file: points first, in the order
// in which they are first reached, then where goroutines are started.
func (s *schedule) breakpoint() (*breakfile.Breakpoint, error) {
	r := s.again.record
	judge, err := json.Marshal(s.judge)
	if err != nil {
		return nil, err
	}
	b := &breakfile.Breakpoint{Kind: breakfile.Scheduled, Package: r.Package, Entry: r.Entry,
		Schedule: &breakfile.Schedule{Finding: s.id(), Message: r.Finding.Message, Kind: r.Finding.Kind,
			Test: !r.Main, TestRun: r.TestRun, Judge: judge}}
	var spawns []breakfile.Place
	for _, st := range s.stated.Statements {
		p, err := s.fingerprint(st.File, st.Line, st.Col)
		if err != nil {
			return nil, err
		}
		for _, pl := range st.Places {
			p.Point = native.PointOf(pl, st.Line)
			if p.Point.Kind == spawnKind {
				spawns = append(spawns, p)
			} else {
				b.Places = append(b.Places, p)
			}
		}
	}
	rank := map[int]int{}
	for i, step := range reproduce.Sequence(s.stated.Plan.Steps) {
		if _, ok := rank[step.Point]; !ok {
			rank[step.Point] = i + 1
		}
	}
	b.Places = slices.DeleteFunc(b.Places, func(p breakfile.Place) bool { return rank[p.Point.ID] == 0 })
	slices.SortFunc(b.Places, func(x, y breakfile.Place) int { return rank[x.Point.ID] - rank[y.Point.ID] })
	plan := s.stated.Plan.Renumber(func(point int) int {
		return slices.IndexFunc(b.Places, func(p breakfile.Place) bool { return p.Point.ID == point }) + 1
	})
	b.Schedule.Plan = plan.String()
	for i := range b.Places {
		own := *b.Places[i].Point
		own.ID = i + 1
		b.Places[i].Point = &own
	}
	b.Places = append(b.Places, spawns...)
	return b, nil
}

const spawnKind = "spawn"

// finding is the same for a test.
func (s *schedule) finding() (reproduce.Finding, error) {
	r := s.again.record
	f := reproduce.Finding{ID: s.id(), Message: r.Finding.Headline(), Entry: r.Entry, Flags: s.judge.Flags, Args: s.target.Args,
		Plan: s.stated.Plan.Steps.String(), Judge: s.judge}
	f.Judge.Flags, f.Judge.Args = nil, nil
	for _, st := range s.stated.Statements {
		p, err := s.fingerprint(st.File, st.Line, st.Col)
		if err != nil {
			return f, err
		}
		own := reproduce.Statement{Place: p, Edits: st.Edits}
		for _, pl := range st.Places {
			if string(pl.Kind) == spawnKind {
				own.Spawns = append(own.Spawns, pl.ID)
			} else {
				own.Points = append(own.Points, pl.ID)
			}
		}
		f.Statements = append(f.Statements, own)
	}
	return f, nil
}

// pathsOf lists the Go files of a folder by the names that places have.
func pathsOf(dir, name string) map[string]string {
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	out := map[string]string{}
	for _, f := range files {
		out[name[:strings.LastIndex(name, "/")+1]+filepath.Base(f)] = f
	}
	return out
}
