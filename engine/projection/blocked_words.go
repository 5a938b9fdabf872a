package projection

import (
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/trace"
)

// stuckWords is the sentence about waits, and what must hold instead.
func (a *analysis) stuckWords() (string, string) {
	text := strings.Join(a.stuck.clauses, "; ")
	if text != "" {
		text += "."
	}
	if a.stuck.decided != "" {
		text += " " + a.stuck.decided
	}
	return text, a.stuck.must
}

func (a *analysis) waitsFor(e entry) string {
	obj := a.object(e)
	if e.obj == 0 {
		obj = "a channel"
	}
	if call := a.waitsInside(e); call != "" {
		return "in `" + call + "`"
	}
	switch e.op {
	case trace.OpSend:
		return "to send on " + obj
	case trace.OpRecv:
		if name, ok := strings.CutSuffix(obj, "`"); ok && a.isContext(e.obj) {
			return "for " + name + ".Done()`"
		}
		return "to receive from " + obj
	case trace.OpSelect:
		return "in a select" + a.selectOn(e.g)
	case trace.OpRLock:
		return "to read-lock " + obj
	case trace.OpLock:
		return "to lock " + obj
	}
	return "for " + obj
}

// waitsInside is the call into the standard library in which a goroutine waits for
// a channel of that, "" if the channel is the user's.
func (a *analysis) waitsInside(e entry) string {
	if e.op != trace.OpSend && e.op != trace.OpRecv && e.op != trace.OpSelect {
		return ""
	}
	for i := range a.stuck.waiters {
		if w := &a.stuck.waiters[i]; w.G == e.g {
			return a.callOf(a.fail.stackOf(w.Stack))
		}
	}
	return ""
}

// maxCases bounds the channels of a select that are named.
const maxCases = 3

// selectOn names the channels of the select in which g waits.
func (a *analysis) selectOn(g trace.GID) string {
	var names []string
	for i := range a.stuck.waiters {
		w := &a.stuck.waiters[i]
		if w.G != g || w.Op != trace.OpSelect {
			continue
		}
		for _, o := range a.fail.waitsAt(w) {
			if name := a.objectOf(o); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 || len(names) > maxCases {
		return ""
	}
	slices.Reverse(names) // receives stand in the compiler's order, the last first
	return " on " + list(names)
}
