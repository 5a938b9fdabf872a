package projection

import (
	"fmt"

	"github.com/hocket-dev/hocket/engine/trace"
)

// given tells of a message that somebody else got, or gave, than in the passing run: what
// was to let the waiter go on did happen. It reports whether there is one.
func (t *story) given(w *waiter) bool {
	a, c := t.a, w.come
	for _, p := range c.evs {
		f := c.m.toFail[p]
		if f < 0 {
			continue
		}
		x := -1
		switch {
		case isSend(&a.fail.events[f]):
			x = a.receiverOf(f)
		case isRecv(&a.fail.events[f]):
			x = a.fail.src[f]
		}
		if x < 0 || a.fail.events[x].G == w.G || a.fail.events[x].Op == trace.OpClose {
			continue
		}
		sent, got := a.entry(f), a.entry(x)
		if isRecv(&a.fail.events[f]) {
			sent, got = got, sent
		}
		if len(sent.stack) == 0 || len(got.stack) == 0 {
			continue
		}
		t.because(fmt.Sprintf("%s %s (%s), which %s sent (%s)", a.who(got), a.did(got, a.object(got)), a.at(got, false), a.who(sent), a.at(sent, false)), sent, got)
		return true
	}
	return false
}

// receiverOf is the receive of a message in the failing run, -1 if there is none.
func (a *analysis) receiverOf(send int) int {
	for x := range a.fail.events {
		if a.fail.src[x] == send && isRecv(&a.fail.events[x]) {
			return x
		}
	}
	return -1
}
