package breaks

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/breakpoints"
	"github.com/hocket-dev/hocket/engine/breaks/inject"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/process"
	"github.com/hocket-dev/hocket/internal/temp"
	"github.com/hocket-dev/hocket/internal/words"
)

// DebugOptions says what to debug with the concurrent breakpoints of the
// module.
type DebugOptions struct {
	Dir      string   // "" is the current folder
	Patterns []string // one package; none is "."
	Run      string   // as go test -run; "" is the whole test binary, as go test
	Args     []string // of the program
	Flags    target.Flags
	IDs      []string // breakpoints to use; none is all that are not off
	// Overlay is as session.Options.Overlay.
	Overlay map[string]string
}

// Debuggee is a program with concurrent breakpoints, ready to be started by a
// debugger, once or again. Where a breakpoint is hit it calls the function
// hocketpoints.hit(id, name), while all sides stand before their statements.
// Time during which the debugger has stopped it does not count towards
// timeouts. Close it when the debugger has ended.
type Debuggee struct {
	Package string
	Entry   string // "main", "TestX", "" for all tests
	Program string // path of the executable
	Args    []string
	Dir     string
	Env     []string // added to the environment: NAME=value
	Breaks  []DebugBreak
	// Moved holds, by the folder that the program's line tables name, the
	// folder where the files are; both absolute.
	Moved map[string]string
	Notes []string // lines for the user

	prog   *program
	opt    RunOptions
	report string
	finish func()
}

// DebugBreak is one breakpoint in the program.
type DebugBreak struct {
	Number int    // its number in the program
	ID     string // "b1"
	Sides  []DebugSide
	Order  []int // of the sides' release, from 1
}

// DebugSide is the statement of one side. Lines and columns start at 1.
type DebugSide struct {
	File   string // absolute
	Line   int
	Column int // in bytes
}

// String is "b1: side 1 at a.go:12 (goes first), side 2 at b.go:40".
func (b DebugBreak) String() string {
	var all []string
	for i, s := range b.Sides {
		text := fmt.Sprintf("side %d at %s:%d", i+1, filepath.Base(s.File), s.Line)
		if b.Order[0] == i+1 {
			text += " (goes first)"
		}
		all = append(all, text)
	}
	return b.ID + ": " + strings.Join(all, ", ")
}

// debugFlags keep the variables of all packages outside the standard library,
// and those of the breakpoints' own package that the debugger reads.
var debugFlags = []string{"-gcflags=all=-N -l", "-gcflags=std=", "-gcflags=hocketpoints=-N -l"}

// PrepareDebug builds the program with the module's breakpoints, for a
// debugger: variables of the user's packages are there to see.
func PrepareDebug(ctx context.Context, opt DebugOptions, tell progress.Func) (*Debuggee, error) {
	if tell == nil {
		tell = func(progress.Update) {}
	}
	ctx, done := process.Guard(ctx)
	defer done()
	env, err := target.LoadEnv(ctx, opt.Dir)
	if err != nil {
		return nil, err
	}
	run := RunOptions{Dir: opt.Dir, Patterns: opt.Patterns, Run: opt.Run, Args: opt.Args, Flags: opt.Flags, IDs: opt.IDs, Overlay: opt.Overlay}
	meet, schedules, err := choose(ctx, env.Module, run)
	if err != nil {
		return nil, err
	}
	if len(meet) == 0 {
		return nil, scheduleDebug(schedules[0])
	}
	tell(progress.Update{Phase: progress.Building, Target: strings.Join(opt.Patterns, " "), Left: -1})
	p, err := newProgram(ctx, env, meet, run, debugFlags, false)
	if err != nil {
		return nil, err
	}
	d, err := newDebuggee(p, run)
	if err != nil {
		p.Close()
		return nil, err
	}
	for _, s := range schedules {
		d.Notes = append(d.Notes, scheduleDebug(s).Error()+"; it is left out")
	}
	return d, nil
}

// scheduleDebug says how to debug a breakpoint that plays a finding's schedule.
func scheduleDebug(b *Break) error {
	if b.Schedule == nil || b.Schedule.Finding == "" {
		return fmt.Errorf("%s plays a schedule, in which no sides meet; run it with: hocket break run -id %s", b.ID, b.ID)
	}
	return fmt.Errorf("%s plays a finding's schedule, in which no sides meet; to stop at each of its switches: hocket replay -debug %s", b.ID, b.Schedule.Finding)
}

func newDebuggee(p *program, opt RunOptions) (*Debuggee, error) {
	dir, err := temp.Dir("breaks")
	if err != nil {
		return nil, err
	}
	d := &Debuggee{Package: p.pkg, Entry: p.entry, Program: p.Bin, Args: p.args, Dir: p.Target.Dir,
		Moved: p.Moved, prog: p, opt: opt, report: filepath.Join(dir, "report"), Notes: p.notes}
	d.finish = func() {
		p.Close()
		os.RemoveAll(dir)
	}
	d.Env = append([]string{"PWD=" + d.Dir}, p.Target.Env...)
	d.Env = append(d.Env, breakpoints.EnvBreaks+"="+breakpoints.FormatDefinitions(p.Definitions),
		breakpoints.EnvReport+"="+d.report, breakpoints.EnvHold+"=1")
	for _, n := range p.Breakpoints {
		if n.Lost == "" {
			d.Breaks = append(d.Breaks, debugBreak(n))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(p.lost)) {
		d.Notes = append(d.Notes, fmt.Sprintf("%s is left out: %s", id, p.lost[id]))
	}
	return d, nil
}

func debugBreak(n inject.Numbered) DebugBreak {
	b := DebugBreak{Number: n.Number, ID: n.ID, Order: n.Order}
	for i, s := range n.Sides {
		b.Sides = append(b.Sides, DebugSide{File: s.File, Line: s.Line, Column: s.Col})
		if len(n.Order) == 0 {
			b.Order = append(b.Order, i+1)
		}
	}
	return b
}

// Outcome says, a line each, which breakpoints were hit since the program was
// started first and, of the others, which sides were reached.
func (d *Debuggee) Outcome() []string {
	if d.prog == nil {
		return nil
	}
	rep, err := breakpoints.ReadReport(d.report)
	switch {
	case err != nil:
		return []string{"the program wrote no report of its breakpoints: " + words.OneLine(err.Error())}
	case rep.Bad != "":
		return []string{"the program could not read its breakpoints: " + rep.Bad}
	}
	r := &runner{opt: d.opt, prog: d.prog, runs: []*inject.Result{{Report: rep}}}
	var lines []string
	for i, b := range d.prog.chosen {
		if _, lost := d.prog.lost[b.ID]; lost {
			continue
		}
		line := fmt.Sprintf("%s was hit %s", b.ID, times(d.hits(rep, b.ID)))
		if notes := r.stat(d.prog.chosen[i]).Notes; d.hits(rep, b.ID) == 0 && len(notes) > 0 {
			line = b.ID + " " + strings.Join(notes, "; ")
		}
		lines = append(lines, line)
	}
	return lines
}

// hits counts the hits of a breakpoint.
func (d *Debuggee) hits(rep breakpoints.Report, id string) int {
	for _, b := range d.Breaks {
		if s := rep.Breaks[b.Number]; b.ID == id && s != nil {
			return s.Hit
		}
	}
	return 0
}

// Close removes what the program needs to run.
func (d *Debuggee) Close() {
	if d.finish != nil {
		d.finish()
	}
}
