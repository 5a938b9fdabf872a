package verify

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/trace"
)

// sampled is how many random runs under control are looked at, before and after.
const sampled = 12

// work is what passing runs did: the least and the most of each.
type work struct {
	runs          int
	spawns, sends [2]int
	// lines counts, by portable name and line, the runs that did something there; passed
	// those of them that passed.
	lines, passed map[string]map[int]int
	outputs       map[string]bool
}

// workOf looks at random runs that pass.
func (v *Verifier) workOf(ctx context.Context, p *version) (*work, error) {
	runner, err := p.control(ctx, v.Target)
	if err != nil {
		return nil, err
	}
	w := &work{lines: map[string]map[int]int{}, passed: map[string]map[int]int{}, outputs: map[string]bool{}}
	specs := make([]run.Spec, sampled)
	for i := range specs {
		specs[i] = run.Spec{Strategy: run.Random, Seed: uint64(i + 1), Record: run.Every}
	}
	results, err := run.RunEach(ctx, runner, specs)
	if err != nil {
		return nil, err
	}
	for _, r := range results {
		if r == nil || r.Trace == nil {
			continue
		}
		count(w.lines, v.places(r.Trace, false))
		if r.Outcome.Kind == trace.Passed || r.Outcome.Kind == trace.Raced {
			w.add(r.Trace)
			w.outputs[withoutPlaces(r.Outcome.Output)] = true
			count(w.passed, v.places(r.Trace, true))
		}
	}
	return w, nil
}

// line is a line of a file by its portable name.
type line struct {
	file string
	n    int
}

func count(into map[string]map[int]int, at map[line]bool) {
	for l := range at {
		if into[l.file] == nil {
			into[l.file] = map[int]int{}
		}
		into[l.file][l.n]++
	}
}

// add counts what a run did. Only what the program's own code does counts.
func (w *work) add(t *trace.Trace) {
	spawns, sends := 0, 0
	for _, e := range t.Events {
		if _, ok := t.UserFrame(e.Stack); !ok {
			continue
		}
		switch e.Op {
		case trace.OpSpawn:
			spawns++
		case trace.OpSend:
			sends++
		case trace.OpSelect:
			if e.Obj != 0 && e.Aux>>32&1 == 1 {
				sends++ // the chosen case is one
			}
		}
	}
	for i, n := range []int{spawns, sends} {
		at := []*[2]int{&w.spawns, &w.sends}[i]
		if w.runs == 0 || n < at[0] {
			at[0] = n
		}
		at[1] = max(at[1], n)
	}
	w.runs++
}

// places are the lines at which a run had operations and accesses, callers included;
// without those that only lock or unlock, if so asked: a fix may change these.
func (v *Verifier) places(t *trace.Trace, noLocks bool) map[line]bool {
	at := map[line]bool{}
	done := map[trace.StackID]bool{}
	for _, e := range t.Events {
		if done[e.Stack] || noLocks && isLock(e.Op) {
			continue
		}
		done[e.Stack] = true
		for _, f := range t.UserFrames(e.Stack) {
			at[line{v.Roots.Name(f.File), f.Line}] = true
		}
	}
	return at
}

func isLock(op trace.Op) bool {
	switch op {
	case trace.OpLock, trace.OpUnlock, trace.OpRLock, trace.OpRUnlock, trace.OpTryLock, trace.OpTryRLock, trace.OpStart, trace.OpEnd:
		return true
	}
	return false
}

// less says what passing runs do less than before, "" for nothing. That messages are not
// sent any more is told if the sender has another way to go on, which waits for somebody
// to end, and else rejected.
func (c *check) less(before, after *work) string {
	if before.runs == 0 || after.runs == 0 {
		return ""
	}
	if before.spawns[0] == before.spawns[1] && after.spawns[0] < before.spawns[0] {
		return fmt.Sprintf("%d goroutines are started, %d before", after.spawns[0], before.spawns[0])
	}
	if before.sends[0] == before.sends[1] && after.sends[0] < before.sends[0] {
		why := fmt.Sprintf("in some runs %d messages are sent, %d before", after.sends[0], before.sends[0])
		if c.drops() {
			return why
		}
		c.tell(why)
	}
	return ""
}

// lost names a line at which every passing run did something before, that the edit left
// as it was, and at which no run does anything any more. "" if there is none.
func (c *check) lost(after *work) string {
	var gone []string
	for file, lines := range c.worked.passed {
		if !site.InMain(file) {
			continue
		}
		hs := c.hunks[c.Roots.Abs(file)]
		copied := variants(c.before[c.Roots.Abs(file)], c.files[c.Roots.Abs(file)])
		for l, n := range lines {
			to := carried(hs, l)
			if n < c.worked.runs || len(to) != 1 || touched(hs, l, l) || c.isEnd(file, l) || copied[l] {
				continue
			}
			if after.lines[file][to[0]] == 0 {
				gone = append(gone, fmt.Sprintf("%s:%d", filepath.Base(file), l))
			}
		}
	}
	if len(gone) == 0 {
		return ""
	}
	slices.Sort(gone)
	return "line " + gone[0] + " is not executed any more"
}

// drops reports whether the edit adds a default to a select, or no way out of a send at all.
func (c *check) drops() bool {
	var was, is [2]int
	for name := range c.files {
		was, is = plus(was, selectsOf(c.before[name])), plus(is, selectsOf(c.files[name]))
	}
	return is[0] > was[0] || is[1] <= was[1]
}

func plus(a, b [2]int) [2]int { return [2]int{a[0] + b[0], a[1] + b[1]} }

// selectsOf counts the defaults of selects in a text, and their receiving cases.
func selectsOf(text []byte) (n [2]int) {
	f, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		return n
	}
	ast.Inspect(f, func(x ast.Node) bool {
		c, ok := x.(*ast.CommClause)
		switch {
		case !ok:
		case c.Comm == nil:
			n[0]++
		default:
			if _, send := c.Comm.(*ast.SendStmt); !send {
				n[1]++
			}
		}
		return true
	})
	return n
}

// variants are the lines of functions that have, since the edit, a variant for callers
// that hold a lock: what was called before is now called in that form.
func variants(before, after []byte) map[int]bool {
	lines := map[int]bool{}
	was, is := functionsOf(before), functionsOf(after)
	for name, at := range was {
		for variant := range is {
			if _, old := was[variant]; !old && strings.EqualFold(variant, name+"Locked") {
				for l := at[0]; l <= at[1]; l++ {
					lines[l] = true
				}
			}
		}
	}
	return lines
}

// functionsOf are the first and last lines of the declared functions of a text, by name.
func functionsOf(text []byte) map[string][2]int {
	out := map[string][2]int{}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return out
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			out[fn.Name.Name] = [2]int{fset.Position(fn.Pos()).Line, fset.Position(fn.End()).Line}
		}
	}
	return out
}

// isEnd reports whether a line only closes blocks: what happens there is deferred.
func (c *check) isEnd(file string, l int) bool {
	lines := strings.Split(string(c.Code.Text(c.Roots.Abs(file))), "\n")
	return l <= len(lines) && strings.Trim(lines[l-1], " \t\r})") == ""
}

// unseen names a line of the cause at which the program with the fix does nothing any
// more. Lines that the fix replaced are left to the other rules.
func (c *check) unseen(after *work) string {
	for _, a := range c.Finding.RootCause {
		if a.Op == "end" || a.Op == "go" || a.Op == "start" || a.Op == "lock" || a.Op == "rlock" || !site.InMain(a.File) {
			continue
		}
		hs := c.hunks[c.Roots.Abs(a.File)]
		lines := carried(hs, a.Line)
		if len(lines) == 1 && !touched(hs, a.Line, a.Line) && after.lines[a.File][lines[0]] == 0 {
			return fmt.Sprintf("line %s:%d of the cause does nothing any more", filepath.Base(a.File), a.Line)
		}
	}
	return ""
}

var digits = regexp.MustCompile(`(0x)?[0-9a-f]*[0-9][0-9a-f]*`)

// withoutPlaces is what a program printed, without the numbers of lines that name places:
// an edit moves them.
func withoutPlaces(output string) string {
	lines := strings.Split(output, "\n")
	for i, l := range lines {
		if strings.Contains(l, ".go:") || strings.Contains(l, "0x") {
			lines[i] = digits.ReplaceAllString(l, "#")
		}
	}
	return strings.Join(lines, "\n")
}
