package play

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
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
	if err := r.WritePlan(plan, DefaultPatience); err != nil {
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
