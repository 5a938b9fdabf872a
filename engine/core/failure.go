package core

import (
	"fmt"
	"go/constant"
	"strings"

	"github.com/go-delve/delve/pkg/proc"

	"github.com/hocket-dev/hocket/engine/dump"
)

// failure is how the program ended.
type failure struct {
	kind      dump.Kind
	message   string // one line
	goroutine int64  // that failed; 0: none
	now       int64  // when, as the runtime counts time; 0: not known
}

// lastCalls are how many calls of a thread are looked at for what ended the program.
const lastCalls = 64

// failure looks at what the threads were doing, the one that the kernel lists first
// before the others: it died.
func (c *Core) failure() failure {
	f := failure{kind: dump.Goroutines, now: c.lastPoll()}
	threads := c.target.ThreadList()
	if now := c.target.CurrentThread(); now != nil {
		threads = append([]proc.Thread{now}, threads...)
	}
	signal := failure{}
	for _, th := range threads {
		frames := c.lastFrames(th)
		g, _ := proc.GetG(th)
		for i, fr := range frames {
			if fr.Call.Fn == nil {
				continue
			}
			switch fr.Call.Fn.Name {
			case "runtime.fatalpanic":
				f.kind, f.message = dump.Panic, c.panicked(g)
				if strings.HasPrefix(f.message, "test timed out after ") {
					f.kind = dump.TimeOut
				}
			case "runtime.throw", "runtime.fatal":
				f.kind, f.message = dump.Fatal, c.thrown(frames, i, th, g)
				if strings.HasPrefix(f.message, "all goroutines are asleep") {
					f.kind = dump.Deadlock
				}
			case "runtime.sighandler":
				if signal.kind == "" {
					signal = failure{kind: dump.Quit, message: "SIGQUIT: quit"}
				}
				continue
			default:
				continue
			}
			if g != nil && f.kind != dump.Deadlock && f.kind != dump.TimeOut {
				f.goroutine = g.ID
			}
			return f
		}
	}
	if signal.kind != "" {
		f.kind, f.message = signal.kind, signal.message
	}
	return f
}

// lastFrames are the innermost calls of a thread, through the runtime's own stack to
// that of its goroutine.
func (c *Core) lastFrames(th proc.Thread) []proc.Stackframe {
	if g, _ := proc.GetG(th); g != nil {
		if frames, err := proc.GoroutineStacktrace(c.target, g, lastCalls, 0); err == nil {
			return frames
		}
	}
	frames, _ := proc.ThreadStacktrace(c.target, th, lastCalls)
	return frames
}

// panicked is the message of a goroutine's last panic. The runtime has put what Error
// and String return in the value's place by then.
func (c *Core) panicked(g *proc.G) string {
	if g == nil {
		return ""
	}
	scope, err := proc.ConvertEvalScope(c.target, g.ID, 0, 0)
	if err != nil {
		return ""
	}
	p := "runtime.curg._panic"
	for range nested {
		again, err := scope.EvalExpression(p+".link.repanicked", proc.LoadConfig{})
		if err != nil || again.Value == nil || !constant.BoolVal(again.Value) {
			break
		}
		p += ".link" // the value that was recovered and raised again is printed from there
	}
	v, err := scope.EvalExpression(p+".arg", proc.LoadConfig{MaxStringLen: 4096, MaxVariableRecurse: 1})
	if err != nil || v.Unreadable != nil || len(v.Children) == 0 {
		return ""
	}
	return printed(&v.Children[0])
}

// nested is how many times a panic may have been raised again.
const nested = 16

// printed is a value as the runtime prints that of a panic.
func printed(v *proc.Variable) string {
	if v.RealType == nil {
		return "nil"
	}
	name := v.TypeString()
	switch {
	case v.Value == nil:
		return fmt.Sprintf("(%s) %#x", name, v.Addr)
	case v.Value.Kind() == constant.String && name == "string":
		return oneLine(constant.StringVal(v.Value))
	case v.Value.Kind() == constant.String:
		return fmt.Sprintf("%s(%q)", name, constant.StringVal(v.Value))
	case v.RealType.String() == name && !strings.Contains(name, "."):
		return v.Value.String()
	}
	return fmt.Sprintf("%s(%s)", name, v.Value)
}

// thrown is the message of a fatal error: the argument of the call that made it.
func (c *Core) thrown(frames []proc.Stackframe, i int, th proc.Thread, g *proc.G) string {
	scope := proc.FrameToScope(c.target, c.target.Memory(), g, th.ThreadID(), frames[i:]...)
	args, err := scope.FunctionArguments(proc.LoadConfig{MaxStringLen: 4096})
	if err != nil {
		return ""
	}
	for _, a := range args {
		if a.Name == "s" {
			return oneLine(stringOf(a))
		}
	}
	return ""
}

func stringOf(v *proc.Variable) string {
	if v.Unreadable != nil || v.Value == nil || v.Value.Kind() != constant.String {
		return ""
	}
	return constant.StringVal(v.Value)
}

// lastPoll is about when the program ended, as the runtime counts time.
func (c *Core) lastPoll() int64 {
	v := c.eval("runtime.sched.lastpoll.value", proc.LoadConfig{})
	if v == nil || v.Value == nil {
		return 0
	}
	n, _ := constant.Int64Val(v.Value)
	return n
}
