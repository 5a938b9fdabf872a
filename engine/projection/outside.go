package projection

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/source"
	"github.com/hocket-dev/hocket/engine/trace"
)

// What happens inside the standard library is told as the call that the user's code
// makes, at its line: "called `pw.Write`", "cancelled `ctx`".

// outside are the frames of an entry's own stack that lie in the standard library,
// below the user's: nil if the user's code does the access itself.
func (a *analysis) outside(e entry) []trace.Frame {
	n := slices.IndexFunc(e.full, func(f trace.Frame) bool { return !a.isStd(f) })
	if n < 0 {
		return e.full
	}
	return e.full[:n]
}

// inStd reports whether an entry is an access that code of the standard library
// makes for the user's.
func (a *analysis) inStd(e entry) bool {
	return e.obj != 0 && !(trace.OpNetDial <= e.op && e.op <= trace.OpNetDeadline) && len(a.outside(e)) > 0
}

// stdCallee is the function of the standard library that the user's code calls.
func (a *analysis) stdCallee(e entry) string {
	fs := a.outside(e)
	return fs[len(fs)-1].Func
}

// called says which call an entry is part of, "" if the user's code does the access
// itself.
func (a *analysis) called(e entry) string {
	if len(e.stack) == 0 {
		return ""
	}
	if !a.inStd(e) {
		return a.calledOnce(e)
	}
	if cancels(a.outside(e)) {
		return "cancelled " + a.object(e)
	}
	if len(a.userFrames(e.full)) == 0 {
		return "" // a goroutine of the standard library's own
	}
	callee := a.stdCallee(e)
	if fun := a.fn(e.stack[0]).Call(e.stack[0].Line, callee).Fun; fun != "" {
		return "called `" + fun + "`"
	}
	if strings.Contains(callee, ".func") {
		if fun := a.fn(e.stack[0]).OnlyCall(e.stack[0].Line); fun != "" {
			return "called `" + fun + "`"
		}
		return ""
	}
	return "called `" + trace.ShortFunc(callee) + "`"
}

// calledOnce is for what a sync.Once does in its Do: it has a lock and a flag of its own.
func (a *analysis) calledOnce(e entry) string {
	switch e.op {
	case trace.OpLock, trace.OpUnlock, trace.OpAtomicStore, trace.OpAtomicLoad, trace.OpOnceDo:
	default:
		return ""
	}
	fn, line := a.fn(e.stack[0]), e.stack[0].Line
	if fn.Operand(line, source.Want{Methods: methods[e.op]}).Text != "" {
		return ""
	}
	if op := fn.Operand(line, source.Want{Methods: []string{"Do"}}); op.Text != "" {
		return "called `" + op.Text + ".Do`"
	}
	if fun := fn.OnlyCall(line); fun != "" && e.op == trace.OpOnceDo { // what sync.OnceFunc made
		return "called `" + fun + "`"
	}
	return ""
}

// cancels reports whether the frames are those of a context that is being cancelled.
func cancels(fs []trace.Frame) bool {
	return slices.ContainsFunc(fs, func(f trace.Frame) bool {
		return trace.Package(f) == "context" && (strings.HasSuffix(f.Func, ").cancel") || strings.HasSuffix(f.Func, ".cancelCtx.cancel"))
	})
}

// stdName is the name of what the standard library makes for a program: a context, a
// timer, a pipe. "" for other objects.
func (a *analysis) stdName(e entry) string {
	o := &e.r.Objects[e.obj]
	made := e.r.stackOf(o.Alloc)
	n := slices.IndexFunc(made, func(f trace.Frame) bool { return !a.isStd(f) })
	pkg, maker := "", ""
	switch {
	case strings.HasPrefix(o.Name, "context."):
		pkg = "context"
	case n > 0:
		pkg, maker = trace.Package(made[0]), made[n-1].Func
	default:
		return ""
	}
	user := a.userFrames(made)
	result := func() string {
		if maker == "" || len(user) == 0 {
			return ""
		}
		return a.fn(user[0]).Result(user[0].Line, maker, 0)
	}
	at := func(what string) string {
		if len(user) == 0 {
			return phraseMark + what
		}
		return fmt.Sprintf("%s%s made at %s", phraseMark, what, a.lineOf(user[0], true))
	}
	switch pkg {
	case "context":
		return a.contextName(e, maker, user, at)
	case "time":
		if len(e.stack) > 0 && isChanOp(e.op) {
			if op := a.operand(e); op.Text != "" {
				return op.Text
			}
		}
		if n := result(); n != "" {
			return n
		}
		return at("timer")
	case "io":
		return at("pipe")
	}
	if n := result(); n != "" && !isChanOp(e.op) {
		return n
	}
	return ""
}

// contextName is what the source calls a context: where it is made, or where it is
// used. The channel of a context is the context's.
func (a *analysis) contextName(e entry, maker string, user []trace.Frame, at func(string) string) string {
	if len(user) > 0 && maker != "" {
		fn := a.fn(user[0])
		if strings.HasPrefix(lastName(maker), "With") {
			if n := fn.Result(user[0].Line, maker, 0); n != "" {
				return n
			}
		} else if op := fn.Call(user[0].Line, maker).Recv; op.Text != "" {
			return op.Text // its channel is made by the first call of Done
		}
	}
	if len(e.stack) > 0 {
		f := e.stack[0]
		if op := a.fn(f).Call(f.Line, "Done").Recv; op.Text != "" {
			return op.Text
		}
	}
	return at("context")
}

// lineOf is the line of a frame, with the file where it is not the failure's.
func (a *analysis) lineOf(f trace.Frame, long bool) string {
	name := a.in.Roots.Name(f.File)
	if name != a.failurePlace().File {
		return fmt.Sprintf("%s:%d", path.Base(name), f.Line)
	}
	if long {
		return fmt.Sprintf("line %d", f.Line)
	}
	return fmt.Sprint(f.Line)
}

// who is the goroutine of an entry.
func (a *analysis) who(e entry) string {
	if int(e.g) < len(e.r.Goroutines) && e.r.Goroutines[e.g].ByTimer() && strings.HasPrefix(e.r.gname(e.g), "timer") {
		return "a timer"
	}
	if g := e.r.Goroutine(e.g); g.Spawn != 0 && len(e.full) > 0 && len(a.userFrames(e.full)) == 0 && len(e.stack) > 0 && g.Display == trace.ShortFunc(g.Func) {
		return "the goroutine that " + a.lineOf(e.stack[0], true) + " starts"
	}
	return "`" + e.r.gname(e.g) + "`"
}

// beyond says where an entry is of which no line of the user's is known.
func (a *analysis) beyond(e entry) string {
	if len(e.full) > 0 && trace.Package(e.full[0]) != "" {
		return "in package " + trace.Package(e.full[0])
	}
	return "outside the program's own code"
}
