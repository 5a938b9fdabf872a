package engine

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hocket-dev/hocket/analysis"
	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/overlay"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/process"
	"github.com/hocket-dev/hocket/internal/words"
)

// ConflictReport is the answer of Conflicts; its JSON form is that of hocket vet -json.
type (
	ConflictReport = analysis.Report
	ConflictPair   = analysis.Pair
	ConflictSide   = analysis.Side
	ConflictCycle  = analysis.Cycle
)

// ConflictOptions says which packages to look at.
type ConflictOptions struct {
	Dir      string   // "" is the current folder
	Patterns []string // as for go vet; none means "."
	Flags    target.Flags
	// Overlay is unsaved texts: absolute path -> text.
	Overlay map[string]string
}

// Conflicts finds pairs of places that may conflict, from the sources alone:
// nothing is run. Files are named relative to the module's root. Packages that
// don't compile give a partial result, and a line in Errors; the error is for
// cases in which no package can be analysed.
func Conflicts(ctx context.Context, o ConflictOptions) (*ConflictReport, error) {
	ctx, done := process.Guard(ctx)
	defer done()
	env, err := target.LoadEnv(ctx, o.Dir)
	if err != nil {
		return nil, err
	}
	if err := compile(ctx, env, o); err != nil {
		return nil, err
	}
	src := analysis.Source{Dir: env.Dir, Patterns: o.Patterns, Flags: o.Flags.List(), Env: append(env.Environ(), "GOPACKAGESDRIVER=off"), Overlay: texts(o.Overlay, env.Module)}
	rep, err := analysis.Analyze(ctx, src, env.Roots().Name)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		what, msg := strings.Join(o.Patterns, " "), strings.TrimPrefix(words.OneLine(err.Error()), "-: ") // of no file
		return nil, fmt.Errorf("look for conflicts in %s: %s%s", cmp.Or(what, "."), msg, target.Advice(cmp.Or(what, "."), msg))
	}
	return rep, nil
}

// compile makes the go command compile what the packages import, which may take
// minutes. The analysis would otherwise start a go command of its own for it,
// which outlives this process if it is killed; once everything is compiled,
// that command ends at once.
func compile(ctx context.Context, env *target.Env, o ConflictOptions) error {
	args := append([]string{"list", "-e", "-export", "-compiled", "-deps", "-test", "-f", "{{if .DepOnly}}{{end}}"}, o.Flags.List()...)
	patterns := o.Patterns
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	cmd := process.Go(ctx, "go", append(append(args, "--"), patterns...)...)
	cmd.Dir, cmd.Env = env.Dir, env.Environ()
	_, _ = process.Output(ctx, cmd) // the analysis reports errors of the packages
	return ctx.Err()
}

// texts are the overlay under each name by which the go command may know its
// files.
func texts(overlay map[string]string, module string) map[string][]byte {
	out := map[string][]byte{}
	for path, text := range build.Aliased(overlay, module) {
		if _, err := os.Stat(filepath.Dir(path)); err == nil {
			out[filepath.Clean(path)] = []byte(text)
		}
	}
	return out
}

// OverlayTexts reads the texts of an overlay as ReadOverlay returns it, for
// ConflictOptions.Overlay. Deleted files are left out: the go command learns
// about them from its own overlay only.
func OverlayTexts(files map[string]string) (map[string]string, error) { return overlay.Texts(files) }

// ConflictKinds says what each kind of pair means.
func ConflictKinds() []analysis.KindDoc { return analysis.KindDocs() }

// MarkSeen notes with each pair of conflicts which findings of a search show it, and
// counts those that some finding shows: both of its sides, place and operation, are steps
// of the finding's cause, or are where its goroutines wait.
func MarkSeen(rep *ConflictReport, found []*report.Finding) (seen int) {
	for i := range rep.Pairs {
		p := &rep.Pairs[i]
		for _, f := range found {
			if shows(f, p) {
				p.Seen = append(p.Seen, f.ID)
			}
		}
		if len(p.Seen) > 0 {
			seen++
		}
	}
	return seen
}

// shows reports whether two steps of a finding are the sides of a pair: at their lines,
// with what they do there.
func shows(f *report.Finding, p *ConflictPair) bool {
	if p.Kind == analysis.Contention || len(p.Sides) != 2 {
		return false
	}
	steps := stepsOf(f)
	for i, a := range steps {
		for j, b := range steps {
			if i != j && a.is(p.Sides[0]) && b.is(p.Sides[1]) {
				return true
			}
		}
	}
	return false
}

// step is something that a finding names.
type step struct {
	report.Place
	op string
}

func stepsOf(f *report.Finding) (steps []step) {
	for _, a := range f.RootCause {
		steps = append(steps, step{report.Place{File: a.File, Line: a.Line}, a.Op})
		if a.Call != nil {
			steps = append(steps, step{report.Place{File: a.Call.File, Line: a.Call.Line}, a.Op})
		}
	}
	for _, b := range f.Blocked {
		op, _, _ := strings.Cut(b.On, " ")
		steps = append(steps, step{report.Place{File: b.File, Line: b.Line}, op})
	}
	return steps
}

func (s step) is(side ConflictSide) bool {
	return s.File == side.File && s.Line == side.Line && like(s.op) == like(side.Op)
}

// like is what operations have in common that are called otherwise in runs and in sources.
func like(op string) string {
	switch op {
	case "load":
		return "read"
	case "store", "add", "swap", "cas":
		return "write"
	case "recv":
		return "receive"
	case "rlock":
		return "lock"
	}
	return op
}
