package inject

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/breakpoints"
	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/instrument/points"
	"github.com/hocket-dev/hocket/internal/bug"
	"github.com/hocket-dev/hocket/internal/words"
)

// Breakpoint is a concurrent breakpoint with its statements found.
type Breakpoint struct {
	ID          string // for messages
	Sides       []Side
	If          string
	Order       []int // of release; nil is 1, 2, ...
	OneWay      bool
	Timeouts    []time.Duration // by side, 0 is the default
	IgnoreFirst int
	AtMost      int
}

// Numbered is a breakpoint in a built program.
type Numbered struct {
	Breakpoint
	Number int    // its number in the program
	Lost   string // why it has no points, "" if it has some
	// Outside is set if the program is built without a file of the breakpoint:
	// which file, and why.
	Outside string

	joint string
	dids  []bool
}

// Program is the target built twice: as it is, and with points. Close it.
type Program struct {
	Bin         string // with points
	Plain       string // without points; "" if that was not requested
	Breakpoints []Numbered
	Definitions []breakpoints.Definition // of the breakpoints that are not lost
	Target      instrument.Target
	Moved       map[string]string // as points.Build.Moved

	links []string
}

// ErrNothing means that no breakpoint could be put into the program.
var ErrNothing = errors.New("no breakpoint could be set")

// BuildError is the output of the go command for a build that failed.
type BuildError struct{ Output string }

func (e *BuildError) Error() string {
	var lines []string // without the headings of packages
	for line := range strings.Lines(e.Output) {
		if !strings.HasPrefix(line, "# ") {
			lines = append(lines, line)
		}
	}
	return "does not compile: " + words.OneLine(words.FirstLines(strings.Join(lines, ""), 4))
}

// Build checks the conditions and builds the target; below dir, which may be
// kept between calls, are sources and programs. A breakpoint that can't be set
// is Lost; the error is ErrNothing if all are.
func Build(ctx context.Context, t instrument.Target, bs []Breakpoint, dir string, plain bool) (*Program, error) {
	p := &Program{Target: t}
	sc := Scope{Dir: t.Dir, Flags: listFlags(t.Flags), Env: t.Env, Overlay: t.Overlay, loads: newLoads()}
	has, err := sc.contentsOf(ctx, t)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	} else if err != nil {
		has = nil // the build reports the error
	}
	var places []points.Place
	for i, b := range bs {
		b.Sides = sc.vendored(ctx, b.Sides)
		n := Numbered{Breakpoint: b, Number: i + 1}
		if n.Outside = has.outside(b.Sides); n.Outside != "" {
			n.Lost = lostOutside(n.Outside)
			p.Breakpoints = append(p.Breakpoints, n)
			continue
		}
		own, err := n.places(ctx, sc)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			n.Lost = err.Error()
		}
		places = append(places, own...)
		p.Breakpoints = append(p.Breakpoints, n)
	}
	// First the program as it is: its own compile errors are reported as such.
	if plain {
		bin, err := p.compile(ctx, "go", nil, nil, dir, "plain")
		if err != nil {
			return nil, err
		}
		p.Plain = bin
	}
	// A breakpoint with a side that can't be set is useless: the others are
	// built without it.
	dir = filepath.Join(dir, digest(places))
	for {
		b, err := points.Prepare(ctx, t, filepath.Join(dir, "src"), places)
		if err != nil {
			p.Close()
			return nil, err
		}
		if len(b.Skipped) > 0 {
			places = p.drop(places, b.Skipped)
			continue
		}
		if p.define(); len(p.Definitions) == 0 {
			err := p.compiles(ctx, dir)
			p.Close()
			return p, err
		}
		p.Moved = b.Moved
		if p.Bin, err = p.compile(ctx, b.Go, b.Flags, b.Env, dir, "points"); err != nil {
			err = p.blame(ctx, err, dir)
			p.Close()
			return nil, err
		}
		return p, nil
	}
}

// compiles returns ErrNothing, or the reason why the program does not compile,
// which is then the reason for all breakpoints that would be in it.
func (p *Program) compiles(ctx context.Context, dir string) error {
	inside := slices.ContainsFunc(p.Breakpoints, func(n Numbered) bool { return n.Outside == "" })
	if p.Plain == "" && inside {
		if _, err := p.compile(ctx, "go", nil, nil, dir, "plain"); err != nil {
			return err
		}
	}
	return ErrNothing
}

// blame tells whether a program does not compile by itself, or only with what
// Hocket inserted.
func (p *Program) blame(ctx context.Context, err error, dir string) error {
	var be *BuildError
	if !errors.As(err, &be) {
		return err
	}
	if p.Plain == "" {
		if _, plain := p.compile(ctx, "go", nil, nil, dir, "plain"); plain != nil {
			return plain
		}
	}
	return bug.Errorf("the program compiles, but not with its breakpoints: %w", err)
}

// digest returns a name for a set of places.
func digest(places []points.Place) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%+v", places))
	return fmt.Sprintf("%x", sum[:8])
}

// listFlags are the build flags that choose files and packages.
func listFlags(flags []string) []string {
	return slices.DeleteFunc(slices.Clone(flags), func(f string) bool { return hasPrefix(f, "-ldflags", "-gcflags", "-race=false") })
}

// places returns the points of a breakpoint, with its condition compiled.
func (n *Numbered) places(ctx context.Context, sc Scope) ([]points.Place, error) {
	cond, err := Compile(ctx, sc, n.Sides, n.If)
	if err != nil {
		return nil, err
	}
	n.Timeouts = append(slices.Clone(n.Timeouts), make([]time.Duration, len(n.Sides)-len(n.Timeouts))...)
	var places []points.Place
	for i, s := range n.Sides {
		if same := n.same(cond, i); same >= 0 {
			// The second goroutine meets the first.
			pl := slices.IndexFunc(places, func(pl points.Place) bool { return pl.Side == same+1 })
			places[pl].Also = append(places[pl].Also, i+1)
			n.Timeouts[i] = -1
			continue
		}
		places = append(places, points.Place{ID: n.Number, Kind: points.Side, Side: i + 1, File: s.File, Line: s.Line, Col: s.Col,
			Predicate: cond.Locals[i], Values: cond.Values[i], Names: cond.Names[i], Copies: cond.Copies[i], Each: cond.Each[i]})
	}
	n.joint, n.dids = cond.Joint, cond.Dids
	return places, nil
}

// same returns the first side that is the same statement with the same
// condition as side i (from 0); -1 if i is the first.
func (n *Numbered) same(c *Condition, i int) int {
	for j := range i {
		a, b := n.Sides[i], n.Sides[j]
		if a.File == b.File && a.Line == b.Line && a.Col == b.Col && c.Locals[i] == c.Locals[j] && slices.Equal(c.Values[i], c.Values[j]) {
			return j
		}
	}
	return -1
}

// drop marks breakpoints as lost and removes their points.
func (p *Program) drop(places []points.Place, skipped []points.Skip) []points.Place {
	for _, s := range skipped {
		n := &p.Breakpoints[s.Place.ID-1]
		if n.Lost == "" {
			n.Lost = fmt.Sprintf("side %d (%s): %s", s.Place.Side, n.Sides[s.Place.Side-1].Name, s.Reason)
		}
	}
	return slices.DeleteFunc(slices.Clone(places), func(pl points.Place) bool { return p.Breakpoints[pl.ID-1].Lost != "" })
}

// define makes the definitions of the breakpoints that have their points.
func (p *Program) define() {
	type place struct {
		file      string
		line, col int
	}
	numbers := map[place]int{}
	for _, n := range p.Breakpoints {
		if n.Lost != "" {
			continue
		}
		var at []int
		for _, s := range n.Sides {
			pl := place{s.File, s.Line, s.Col}
			if numbers[pl] == 0 {
				numbers[pl] = len(numbers) + 1
			}
			at = append(at, numbers[pl])
		}
		p.Definitions = append(p.Definitions, breakpoints.Definition{ID: n.Number, Name: n.ID, Sides: len(n.Sides), Order: n.Order, OneWay: n.OneWay,
			Timeouts: n.Timeouts, IgnoreFirst: n.IgnoreFirst, AtMost: n.AtMost, Joint: n.joint, Dids: n.dids, At: at})
	}
}

// compile builds the target and gives the program a name of this process's own,
// so that other processes may rebuild it meanwhile.
func (p *Program) compile(ctx context.Context, goCmd string, flags, env []string, dir, name string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("build: %w", err)
	}
	out := filepath.Join(dir, name+".bin")
	if flags == nil {
		flags = p.Target.Overlay.Flags()
	}
	if err := p.Target.Compile(ctx, goCmd, out, flags, env); err != nil {
		if be := (*instrument.BuildError)(nil); errors.As(err, &be) {
			return "", &BuildError{be.Output}
		}
		return "", err
	}
	link := fmt.Sprintf("%s~%d-%d", out, os.Getpid(), time.Now().UnixNano())
	if os.Link(out, link) == nil {
		p.links = append(p.links, link)
		return link, nil
	}
	return out, nil
}

// Close removes the files of this process.
func (p *Program) Close() {
	for _, l := range p.links {
		os.Remove(l)
	}
}
