package stored

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
	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/instrument/points"
	"github.com/hocket-dev/hocket/engine/native"
	"github.com/hocket-dev/hocket/engine/overlay"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/words"
)

// ProofRuns is how often a finding's order is played before a breakpoint or
// test is made of it, and EnoughProof how many of these runs must fail.
const (
	ProofRuns   = 20
	EnoughProof = 15
)

// Order is a finding's order, expressed by statements.
type Order struct {
	Opened *Opened
	target instrument.Target
	texts  store.Texts // that the finding was made from
	judge  reproduce.Judge
	stated *native.Stated
}

// ID is that of the finding.
func (s *Order) ID() string { return s.Opened.Record.Finding.ID }

// read returns a source as it was when the finding was made: the trace refers
// to its lines.
func (s *Order) read(file string) ([]byte, error) {
	if why := points.NoGo(file); why != "" {
		return nil, errors.New(why)
	}
	if text, ok := s.texts[s.Opened.Env.Roots().Name(file)]; ok {
		return []byte(text), nil
	}
	return os.ReadFile(file)
}

// Unproved is the error for an order that failed in too few runs of the ordinary
// build. why may be "".
func (s *Order) Unproved(failed, runs int, why string) error {
	if why != "" {
		why = " (" + words.OneLine(why) + ")"
	}
	how := fmt.Sprintf("with its order only %d of %d runs of the ordinary build fail", failed, runs)
	if failed == 0 {
		how = fmt.Sprintf("with its order none of %d runs of the ordinary build failed", runs)
	}
	return fmt.Errorf("finding %s: %s%s, so no breakpoint or test is made from it; hocket replay %s shows the failure under the controlled scheduler",
		s.ID(), how, why, s.ID())
}

// OrderOf derives the order of a finding.
func OrderOf(ctx context.Context, dir, id string, tell progress.Func) (*Order, error) {
	a, err := Open(ctx, dir, id)
	if err != nil {
		return nil, err
	}
	if a.outdated != "" { // its statements are looked for in the current texts
		tell(progress.Update{Message: a.outdated, Left: -1})
	}
	tell(progress.Update{Phase: progress.Building, Target: a.Record.Package + " " + a.Record.Entry, Left: -1})
	if a.overlay, err = withoutEmpty(a); err != nil {
		return nil, err
	}
	if err := a.Locate(ctx); err != nil {
		return nil, err
	}
	fail, err := LoadTrace(a.Store, a.Record, Failing, a.Env.Roots())
	if errors.Is(err, store.ErrNoTrace) {
		return nil, fmt.Errorf("%w, from which its order is taken; hocket find %s may record one, hocket replay %s shows the failure under the controlled scheduler", err, a.Record.Package, id)
	}
	if err != nil {
		return nil, err
	}
	s := &Order{Opened: a}
	if s.texts, err = a.Store.Texts(a.Record); err != nil {
		return nil, err
	}
	var at []trace.Frame
	if fail.Outcome.Kind == trace.Raced {
		s.judge, at, err = raceJudge(fail, a.Record)
	} else {
		s.judge, at, err = native.JudgeOf(fail, funcOf(a.Record.Entry))
	}
	if err != nil {
		return nil, fmt.Errorf("finding %s: %w; hocket replay %s shows the failure under the controlled scheduler", s.ID(), err, s.ID())
	}
	if err := s.blocked(at); err != nil {
		return nil, err
	}
	s.target = build.Target(a.Env, a.Target, a.Record.Flags)
	s.judge.Flags = append(s.judge.Flags, s.target.Flags...)
	if a.Record.Flags.Short && !a.Record.Main {
		s.judge.Args = append(s.judge.Args, "-test.short")
	}
	s.judge.Args = append(s.judge.Args, a.Record.Args...)
	s.stated, err = native.StateOf(fail, s.read, func(file string) bool {
		return strings.HasPrefix(a.Env.Roots().Name(file), "std/")
	})
	if err != nil {
		return nil, fmt.Errorf("finding %s: %w; hocket replay %s shows the failure under the controlled scheduler", s.ID(), err, s.ID())
	}
	return s, nil
}

// withoutEmpty hides the package's empty Go files: a shell makes one before it
// runs `hocket test ID > x_test.go`.
func withoutEmpty(a *Opened) (*overlay.Files, error) {
	rel, ok := strings.CutPrefix(a.Record.Package, a.Record.Module)
	if !ok {
		return nil, nil
	}
	hidden := map[string]string{}
	files, _ := filepath.Glob(filepath.Join(a.Env.Module, filepath.FromSlash(rel), "*.go"))
	for _, file := range files {
		if st, err := os.Stat(file); err == nil && st.Size() == 0 {
			hidden[file] = ""
		}
	}
	return build.Unsaved(hidden, a.Env.Module)
}

func funcOf(entry string) string {
	name, _, _ := strings.Cut(entry, "/")
	return name
}

// raceJudge judges runs of a build with the race detector; only such a build
// shows a race.
func raceJudge(t *trace.Trace, r *store.Record) (reproduce.Judge, []trace.Frame, error) {
	j := reproduce.Judge{Kind: string(trace.Raced), Flags: []string{"-race"}}
	for _, race := range t.Races {
		p := run.PairOf(t, race)
		if run.SameButLines(run.RaceSignature(p).String(), r.Signature) && p.First.File != "" && p.Second.File != "" {
			return j, []trace.Frame{p.First, p.Second}, nil
		}
	}
	return j, nil, errors.New("its failing run does not contain both accesses of the race")
}

// blocked stores the statements at which goroutines wait.
func (s *Order) blocked(at []trace.Frame) error {
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

func (s *Order) fingerprint(file string, line, col int) (breakfile.Place, error) {
	src, err := s.read(file)
	if err != nil {
		return breakfile.Place{}, fmt.Errorf("finding %s: %w; hocket replay %s shows the failure under the controlled scheduler", s.ID(), err, s.ID())
	}
	name := s.Opened.Env.Roots().Name(file)
	p, err := breakfile.Fingerprint(src, name, line, col)
	if err == nil {
		var at breakfile.Location
		if at, err = breakfile.Locate(p, src); err == nil && col > 0 && (at.Line != line || at.Column != col) {
			err = fmt.Errorf("its fingerprint leads to %d:%d", at.Line, at.Column)
		}
	}
	if err != nil {
		return p, fmt.Errorf("finding %s: the statement at %s:%d has no fingerprint: %w", s.ID(), name, line, err)
	}
	return p, nil
}

// Breakpoint is the entry of the breakpoints file: points first, in the order
// in which they are first reached, then where goroutines are started.
func (s *Order) Breakpoint() (*breakfile.Breakpoint, error) {
	r := s.Opened.Record
	judge, err := json.Marshal(s.judge)
	if err != nil {
		return nil, err
	}
	b := &breakfile.Breakpoint{Kind: breakfile.Scheduled, Package: r.Package, Entry: r.Entry,
		Schedule: &breakfile.Schedule{Finding: s.ID(), Message: r.Finding.Message, Kind: r.Finding.Kind,
			Test: !r.Main, TestRun: r.TestRun, Judge: judge}}
	var spawns []breakfile.Place
	for _, st := range s.stated.Statements {
		p, err := s.fingerprint(st.File, st.Line, st.Col)
		if err != nil {
			return nil, err
		}
		for _, pl := range st.Places {
			p.Point = native.PointOf(pl, st.Line)
			if p.Point.Kind == string(points.Spawn) {
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
	if len(b.Places) == 0 {
		return nil, fmt.Errorf("finding %s: its order has no statement at which a run could wait; hocket replay %s shows it under control", s.ID(), s.ID())
	}
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

// finding is the same, for a test.
func (s *Order) finding() (reproduce.Finding, error) {
	r := s.Opened.Record
	f := reproduce.Finding{ID: s.ID(), Message: r.Finding.Headline(), Entry: r.Entry, Flags: s.judge.Flags, Args: s.target.Args,
		Plan: s.stated.Plan.Steps.String(), Judge: s.judge}
	f.Judge.Flags, f.Judge.Args = nil, nil
	for _, st := range s.stated.Statements {
		p, err := s.fingerprint(st.File, st.Line, st.Col)
		if err != nil {
			return f, err
		}
		own := reproduce.Statement{Place: p, Edits: st.Edits}
		for _, pl := range st.Places {
			if pl.Kind == points.Spawn {
				own.Spawns = append(own.Spawns, pl.ID)
			} else {
				own.Points = append(own.Points, pl.ID)
			}
		}
		f.Statements = append(f.Statements, own)
	}
	return f, nil
}
