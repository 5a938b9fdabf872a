package core

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/go-delve/delve/pkg/proc"

	"github.com/hocket-dev/hocket/engine/dump"
)

// Bounds of what is kept.
const (
	maxGoroutines = 200_000
	maxDepth      = 128  // calls of a goroutine that are kept
	deepest       = 1024 // calls that are walked to find the outermost ones
	usual         = 40   // calls that most have fewer of: Delve makes room for as many as are asked for
	atOnce        = 1024
	cached        = 64 // goroutines whose calls are in memory

	mainGoroutine = 1 // its number: the runtime started it
)

// State is what the core tells of its goroutines, the failing one first.
func (c *Core) State(ctx context.Context) (*dump.State, error) {
	var s *dump.State
	err := c.guard(ctx, func() (err error) {
		s, err = c.state(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (c *Core) state(ctx context.Context) (*dump.State, error) {
	f := c.failure()
	s := &dump.State{Kind: f.kind, Message: f.message, All: true}
	reasons := c.waitReasons()
	folded, seen := dump.NewFolder(s), 0
	for start := 0; start >= 0 && ctx.Err() == nil; {
		gs, next, err := proc.GoroutinesInfo(c.target, start, atOnce)
		if err != nil {
			return nil, fmt.Errorf("read its goroutines: %w", err)
		}
		for _, g := range gs {
			if g.Unreadable != nil || ctx.Err() != nil {
				s.Left++
				continue
			}
			folded.Add(c.goroutine(g, reasons, f))
			if seen++; seen%cached == 0 {
				c.target.ClearCaches() // Delve keeps the calls of all, with their registers
			}
		}
		if start = next; start > maxGoroutines {
			s.Cut = fmt.Sprintf("it has more than %d goroutines; the rest is not read", maxGoroutines)
			break
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if len(s.Goroutines) == 0 {
		return nil, errNoState
	}
	return s, nil
}

// goroutine reads where one stands.
func (c *Core) goroutine(g *proc.G, reasons []string, f failure) dump.Goroutine {
	d := dump.Goroutine{ID: g.ID, Count: 1, Reason: reasonOf(g, reasons), Failing: f.goroutine == g.ID}
	if g.WaitSince > 0 && f.now > g.WaitSince {
		d.Minutes = int(time.Duration(f.now-g.WaitSince) / time.Minute)
	}
	if at := g.Go(); at.Fn != nil && g.ID != mainGoroutine {
		d.Created = dump.Frame{Func: at.Fn.Name, File: at.File, Line: at.Line}
	}
	frames, err := c.calls(g, usual)
	if err == nil && len(frames) > usual {
		frames, err = c.calls(g, deepest)
	}
	d.Elided = err != nil || len(frames) > maxDepth
	for _, fr := range frames[:min(len(frames), maxDepth)] {
		if fn := fr.Call.Fn; fn != nil && fn.Name != "runtime.goexit" {
			d.Frames = append(d.Frames, dump.Frame{Func: fn.Name, File: fr.Call.File, Line: fr.Call.Line})
		}
	}
	return d
}

// scanning is set beside the status of a goroutine whose stack the collector reads.
const scanning = 0x1000

// reasonOf is what the runtime would print.
func reasonOf(g *proc.G, reasons []string) string {
	switch g.Status &^ scanning {
	case proc.Gidle:
		return "idle"
	case proc.Grunnable:
		return "runnable"
	case proc.Grunning:
		return "running"
	case proc.Gsyscall:
		return "syscall"
	case proc.Gcopystack:
		return "copystack"
	case 9: // _Gpreempted of package runtime
		return "preempted"
	}
	if i := int(g.WaitReason); i > 0 && i < len(reasons) && reasons[i] != "" {
		return reasons[i]
	}
	return "waiting"
}

// waitReasons are the runtime's own words, by number.
func (c *Core) waitReasons() (out []string) {
	v := c.eval("runtime.waitReasonStrings", proc.LoadConfig{MaxArrayValues: 256, MaxStringLen: 64, MaxVariableRecurse: 1})
	if v == nil {
		return nil
	}
	for i := range v.Children {
		out = append(out, stringOf(&v.Children[i]))
	}
	return out
}

// eval is a variable of the program's own, nil if it has none of this name.
func (p *Program) eval(expr string, cfg proc.LoadConfig) *proc.Variable {
	scope, err := p.globalScope()
	if err != nil {
		return nil
	}
	v, err := scope.EvalExpression(expr, cfg)
	if err != nil || v.Unreadable != nil {
		return nil
	}
	return v
}

func (p *Program) globalScope() (*proc.EvalScope, error) {
	scope, err := proc.ThreadScope(p.target, p.target.CurrentThread())
	if err != nil { // a thread in code that Go did not make
		return proc.FrameToScope(p.target, p.target.Memory(), nil, 0, proc.Stackframe{}), nil
	}
	return scope, nil
}

// oneLine is the first line of a text.
func oneLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return strings.TrimSpace(s)
}
