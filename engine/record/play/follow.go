package play

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/record"
	"github.com/hocket-dev/hocket/engine/rt"
)

// DefaultPatience is how long a run that follows waits while nothing moves.
const DefaultPatience = 10 * time.Second

// Attempt is one run that followed a recorded one.
type Attempt struct {
	*record.Followed
	Outcome record.Outcome
	Failure string
	Took    time.Duration
	// Place is where it was lost: "dir/file.go:12 (pkg.Func)", "" if it was not, or
	// that is not known.
	Place string
	// Output is what the program printed.
	Output string
}

// Same reports whether the run ended as the recorded one.
func (a *Attempt) Same(r *record.Run) bool {
	return a.Outcome == r.Outcome && SameFailure(a.Failure, r.Failure)
}

// Follow has the program follow a recorded run once.
func (p *Program) Follow(ctx context.Context, r *record.Run) (*Attempt, error) {
	plan := filepath.Join(p.dir, "plan")
	defer os.Remove(plan)
	if err := r.WritePlan(plan, record.PlanOptions{Patience: DefaultPatience}); err != nil {
		return nil, err
	}
	e, err := p.run(ctx, rt.EnvFollow+"="+plan)
	if err != nil {
		return nil, err
	}
	f, err := r.ReadFollowed(plan)
	if err != nil {
		return nil, err
	}
	a := &Attempt{Followed: f, Outcome: e.outcome, Failure: e.failure, Took: e.took, Output: e.output}
	if f.Lost != nil {
		a.Place = p.placeOf(f.Lost.Stack)
	}
	return a, nil
}

// placeOf is the innermost place of a stack that is outside the standard library, or
// the innermost below sync and the runtime.
func (p *Program) placeOf(stack []uint64) string {
	std := ""
	for _, pc := range stack {
		file, line, fn := p.place(pc - 1)
		if fn == "" || strings.HasPrefix(fn, "runtime.") || strings.HasPrefix(fn, "sync.") || strings.HasPrefix(fn, "internal/sync.") {
			continue
		}
		at := fmt.Sprintf("%s:%d (%s)", filepath.Base(file), line, fn)
		first, _, slash := strings.Cut(fn, "/")
		if slash && strings.Contains(first, ".") || !strings.HasPrefix(file, p.Binary.GOROOT) {
			return at
		}
		if std == "" {
			std = at
		}
	}
	return std
}

// Step is one operation of a run and the statement of the program that did it.
type Step struct {
	Kind record.Kind
	Case int    // of a select, -1: none
	File string // absolute, "" if the statement is not known
	Line int
	// Direct: the statement calls the primitive itself, and not a package of the
	// standard library that does.
	Direct bool
}

// primitive are the files, below GOROOT/src, of what operations are made of.
var primitive = regexp.MustCompile(`^(runtime|sync|internal/sync|internal/runtime|internal/hkatomic)/`)

// Steps has the program follow a run once more, and returns what each thread did, by
// the index in Threads, and how far it followed.
func (p *Program) Steps(ctx context.Context, r *record.Run) ([][]Step, *record.Followed, error) {
	plan := filepath.Join(p.dir, "places")
	defer os.Remove(plan)
	if err := r.WritePlan(plan, record.PlanOptions{Patience: DefaultPatience, Places: true}); err != nil {
		return nil, nil, err
	}
	if _, err := p.run(ctx, rt.EnvFollow+"="+plan); err != nil {
		return nil, nil, err
	}
	followed, err := r.ReadFollowed(plan)
	if err != nil {
		return nil, nil, err
	}
	places, err := r.ReadPlaces(plan)
	if err != nil {
		return nil, nil, err
	}
	type at struct {
		file      string
		line      int
		primitive bool
	}
	known := map[uint64]at{}
	lineOf := func(pc uint64) at {
		a, ok := known[pc]
		if !ok {
			a.file, a.line, _ = p.place(pc - 1)
			if in, ok := strings.CutPrefix(a.file, p.Binary.GOROOT+"/src/"); ok {
				a = at{primitive: primitive.MatchString(in)}
			}
			known[pc] = a
		}
		return a
	}
	out := make([][]Step, len(places))
	for i, t := range places {
		for _, op := range t {
			s := Step{Kind: op.Kind, Case: op.Case, Direct: true}
			for _, pc := range op.Stack {
				a := lineOf(pc)
				if a.file != "" {
					s.File, s.Line = a.file, a.line
					break
				}
				s.Direct = s.Direct && a.primitive
			}
			out[i] = append(out[i], s)
		}
	}
	return out, followed, nil
}
