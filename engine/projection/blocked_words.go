package projection

import (
	"fmt"
	"strings"

	"github.com/hocket-dev/hocket/engine/trace"
)

// stuckWords explains waits.
func (a *analysis) stuckWords() (string, string) {
	s := a.stuck
	var parts []string
	locks := true
	for _, i := range s.waits {
		w := &s.waiters[i]
		parts = append(parts, a.waitWords(w))
		locks = locks && isLockOp(w.Op)
	}
	text := strings.Join(parts, "; ")
	if text != "" {
		text += "."
	}
	for _, ev := range s.before {
		e := a.entry(ev)
		op := a.fail.events[ev].Op
		if isLockOp(op) {
			continue
		}
		text += fmt.Sprintf(" Before that, %s %s (%s).", a.who(e), a.did(e, a.object(e)), a.at(e, false))
		break
	}
	for _, ev := range s.late {
		e := a.lateEntry(ev)
		text += fmt.Sprintf(" In a passing run %s %s (%s).", a.who(e), a.did(e, a.object(e)), a.at(e, false))
	}
	switch {
	case s.cycle && locks && len(s.waits) > 1:
		return text, "These locks must always be taken in the same order."
	case s.missed:
		return text, "The wait must check its condition under the lock, and the goroutine that makes it true must signal after that."
	case s.cycle:
		return text, "None of them may wait while it holds what the other needs."
	}
	return text, ""
}

func (a *analysis) waitWords(w *waiter) string {
	e := a.waitEntry(w)
	s := a.who(e)
	for _, i := range a.stuck.waits {
		for _, h := range a.stuck.holders(i) {
			if h.g == w.G {
				he := a.entry(h.ev)
				s += fmt.Sprintf(" holds %s (%s) and", a.object(he), a.at(he, true))
				break
			}
		}
	}
	return s + fmt.Sprintf(" waits %s (%s)", a.waitsFor(e), a.at(e, true))
}

func (a *analysis) waitsFor(e entry) string {
	obj := a.object(e)
	if e.obj == 0 {
		obj = "a channel"
	}
	switch e.op {
	case trace.OpSend:
		return "to send on " + obj
	case trace.OpRecv:
		return "to receive from " + obj
	case trace.OpSelect:
		return "in a select"
	}
	return "for " + obj
}
