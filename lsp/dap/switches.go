package dap

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/hocket-dev/hocket/engine"
)

// switches guides through the schedule of a finding.
type switches struct {
	*engine.Debuggee
	at     *stops
	thread int // that stood at a stop last
}

func newSwitches(d *engine.Debuggee) *switches {
	w := &switches{Debuggee: d, at: newStops()}
	if d.End != nil {
		w.at.other[setFunctions] = append(w.at.other[setFunctions], raw(map[string]string{"name": d.End.Func, "condition": d.End.Condition}))
	}
	for _, b := range d.Breakpoints() {
		if b.Address != 0 {
			w.at.other[setInstructions] = append(w.at.other[setInstructions], raw(map[string]string{
				"instructionReference": fmt.Sprintf("%#x", b.Address), "condition": b.Condition, "hitCondition": b.HitCondition()}))
			continue
		}
		file := resolved(b.File)
		w.at.files[file] = append(w.at.files[file], b)
	}
	return w
}

func (w *switches) program() program {
	return program{path: w.Program, dir: w.Dir, args: w.Args, env: w.Env}
}

func (w *switches) launched(map[string]json.RawMessage) {}
func (w *switches) stops() *stops                       { return w.at }
func (w *switches) ended(*session)                      {}
func (w *switches) close()                              { w.Close() }

// request: of a goroutine that the runtime holds, or that waits in it, the frames of the
// runtime are left out, so that it is shown at a line of the user's.
func (w *switches) request(s *session, m *message) bool {
	if m.Command != "stackTrace" {
		return false
	}
	s.hidden(m, aboveRuntime, func(int, frame) int { return 0 })
	return true
}

func (w *switches) greeting() string {
	var b strings.Builder
	fmt.Fprintf(&b, "hocket: %s: %s\n", w.ID, w.Message)
	if w.Note != "" {
		fmt.Fprintf(&b, "hocket: %s\n", w.Note)
	}
	for i, st := range w.Stops {
		fmt.Fprintf(&b, "  %d. %s:%d %s\n", i+1, below(w.Dir, st.File), st.Line, st.What)
	}
	if w.End != nil {
		fmt.Fprintf(&b, "  %d. %s\n", len(w.Stops)+1, w.End.What)
	}
	return b.String()
}

// stopped: at a breakpoint, Delve is asked where the program stands; if at one
// of the stops, the event says which.
func (w *switches) stopped(s *session, m *message) {
	var body struct {
		Reason   string
		ThreadID int
	}
	if json.Unmarshal(m.Body, &body) != nil || !strings.Contains(body.Reason, "breakpoint") {
		s.editor.send(*m)
		return
	}
	pass := func() { s.editor.send(*m) }
	s.call("stackTrace", raw(map[string]int{"threadId": body.ThreadID, "levels": 1}), func(a *message) {
		var got struct {
			StackFrames []struct {
				ID     int
				Name   string
				Line   int
				Source struct{ Path string }
			}
		}
		if json.Unmarshal(a.Body, &got) != nil || len(got.StackFrames) == 0 {
			pass()
			return
		}
		top := got.StackFrames[0]
		if w.End != nil && top.Name == w.End.Func {
			w.announce(s, m, len(w.Stops), w.End.What, w.thread)
			return
		}
		s.evaluate("runtime.curg.hk.id", top.ID, func(g uint64) {
			s.evaluate("runtime.curg.hk.cnt", top.ID, func(count uint64) {
				i := w.standing(top.Source.Path, top.Line, g, count)
				if i < 0 {
					pass()
					return
				}
				w.thread = body.ThreadID
				w.announce(s, m, i, w.Stops[i].What, body.ThreadID)
			})
		})
	})
}

// evaluate asks for a number, 0 if there is none.
func (s *session) evaluate(expr string, frame int, then func(uint64)) {
	s.call("evaluate", raw(map[string]any{"expression": expr, "frameId": frame, "context": "repl"}), func(a *message) {
		var got struct{ Result string }
		_ = json.Unmarshal(a.Body, &got)
		decimal, _, _ := strings.Cut(got.Result, " ") // "9 = 0x9"
		n, _ := strconv.ParseUint(decimal, 10, 64)
		then(n)
	})
}

// standing is the stop at which a goroutine stands, -1 if it is at none.
func (w *switches) standing(file string, line int, g, count uint64) int {
	for i, st := range w.Stops {
		if st.Line == line && st.Matches(g, count) && resolved(st.File) == resolved(file) {
			return i
		}
	}
	return -1
}

// announce passes a stopped event on with the words of stop i. The badge beside the
// goroutine's name says which stop it is, no more: names are what one looks for there.
func (w *switches) announce(s *session, m *message, i int, what string, thread int) {
	n := len(w.Stops)
	if w.End != nil {
		n++
	}
	s.worded(m, fmt.Sprintf("stop %d of %d", i+1, n), fmt.Sprintf("%d of %d: %s", i+1, n, what), thread)
}
