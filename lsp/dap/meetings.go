package dap

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine"
)

// meetings guides through a program with concurrent breakpoints: it stops where
// all sides of one have met, each before its statement.
type meetings struct {
	*engine.BreakDebuggee
	at   *stops
	met  *meeting // at which the program stands; nil if at none
	step *step    // under way to the statement from which it starts
}

// meeting is one hit: who stands at which side.
type meeting struct {
	of    *engine.DebugBreak
	sides []side // by number, from 0
}

// side is a goroutine before its statement.
type side struct {
	thread int    // 0 if it is not known
	name   string // of the goroutine
	stack  []frame
	above  int // frames of stack that are not the user's
}

// Symbols of package breakpoints as it is injected.
const (
	hitFunction  = runtimePackage + "hit"
	sideFunction = runtimePackage + "Side"
)

func newMeetings(d *engine.BreakDebuggee) *meetings {
	w := &meetings{BreakDebuggee: d, at: newStops()}
	w.at.other[setFunctions] = []json.RawMessage{raw(map[string]string{"name": hitFunction})}
	return w
}

func (w *meetings) program() program {
	return program{path: w.Program, dir: w.Dir, args: w.Args, env: w.Env}
}

func (w *meetings) stops() *stops { return w.at }
func (w *meetings) close()        { w.Close() }

func (w *meetings) greeting() string {
	var b strings.Builder
	fmt.Fprintf(&b, "hocket: the program stops where all sides of a concurrent breakpoint have met, before anyone goes on\n")
	for _, bp := range w.Breaks {
		fmt.Fprintf(&b, "  %s\n", bp.String())
	}
	for _, note := range w.Notes {
		fmt.Fprintf(&b, "hocket: %s\n", note)
	}
	return b.String()
}

// ended says which breakpoints were hit and, of the others, who came.
func (w *meetings) ended(s *session) {
	for _, line := range w.Outcome() {
		s.say("hocket: " + line + "\n")
	}
}

func (w *meetings) request(s *session, m *message) bool {
	switch m.Command {
	case "stackTrace":
		s.hidden(m, w.column)
	case "threads":
		s.forward(m, w.nameThreads)
	case "next", "stepIn", "stepOut":
		w.stepFrom(s, m)
	case "evaluate":
		s.forward(w.inFirst(m), nil)
	default:
		return false
	}
	return true
}

// stopped: at the runtime's hit, the event becomes that of a breakpoint at the
// statement of the side that goes on first.
func (w *meetings) stopped(s *session, m *message) {
	w.met = nil
	var body struct {
		Reason   string
		ThreadID int
	}
	_ = json.Unmarshal(m.Body, &body)
	if w.step != nil {
		w.arrived(s, m, body.Reason, body.ThreadID)
		return
	}
	if !strings.Contains(body.Reason, "breakpoint") {
		s.editor.send(*m)
		return
	}
	s.stack(body.ThreadID, func(stack []frame) {
		if len(stack) == 0 || stack[0].Name != hitFunction {
			s.editor.send(*m)
			return
		}
		s.evaluate("id", stack[0].ID, func(number uint64) {
			w.meet(s, int(number), body.ThreadID, func(met *meeting) {
				if met == nil {
					s.editor.send(*m)
					return
				}
				w.announce(s, m, met)
			})
		})
	})
}

// announce passes the stop on in words.
func (w *meetings) announce(s *session, m *message, met *meeting) {
	w.met = met
	text := met.String()
	body := fields(m.Body)
	delete(body, "hitBreakpointIds") // the editor knows none of ours
	body["reason"], body["allThreadsStopped"] = raw("breakpoint"), raw(true)
	body["description"], body["text"] = raw(text), raw(text)
	if first := met.first(); first.thread > 0 {
		body["threadId"] = raw(first.thread)
	}
	m.Body = raw(body)
	s.say("hocket: " + text + "\n")
	s.editor.send(*m)
}

// first is the side that goes on first.
func (m *meeting) first() side { return m.sides[m.of.Order[0]-1] }

// String is "concurrent breakpoint b1 hit: reader at a.go:12 and writer at
// b.go:40 meet; writer goes first".
func (m *meeting) String() string {
	var who, order []string
	for i := range m.sides {
		who = append(who, m.called(i)+" at "+place(m.of.Sides[i].File, m.of.Sides[i].Line))
	}
	for _, n := range m.of.Order {
		order = append(order, m.called(n-1))
	}
	last := len(who) - 1
	return fmt.Sprintf("concurrent breakpoint %s hit: %s and %s meet; %s goes first%s", m.of.ID,
		strings.Join(who[:last], ", "), who[last], order[0], then(order[1:]))
}

// then names the others where the order does not follow from the first.
func then(rest []string) string {
	if len(rest) < 2 {
		return ""
	}
	return ", then " + strings.Join(rest, ", then ")
}

// called names the goroutine of a side, by its number where names are equal.
func (m *meeting) called(i int) string {
	name := m.sides[i].name
	for j, other := range m.sides {
		if j != i && other.name == name {
			return fmt.Sprintf("%s (goroutine %d)", name, m.sides[i].thread)
		}
	}
	return name
}

// nameThreads names the goroutines at the sides of the meeting.
func (w *meetings) nameThreads(answer *message) {
	if w.met == nil {
		return
	}
	body := fields(answer.Body)
	var threads []map[string]json.RawMessage
	if json.Unmarshal(body["threads"], &threads) != nil {
		return
	}
	for _, th := range threads {
		var id int
		decode(th["id"], &id)
		i := slices.IndexFunc(w.met.sides, func(sd side) bool { return id != 0 && sd.thread == id })
		if i < 0 {
			continue
		}
		at := w.met.of.Sides[i]
		th["name"] = raw(fmt.Sprintf("%s (side %d at %s) [Go %d]", w.met.sides[i].name, i+1, place(at.File, at.Line), id))
	}
	body["threads"] = raw(threads)
	answer.Body = raw(body)
}

// column is where on its line a goroutine's statement starts; Go's line tables
// have no columns.
func (w *meetings) column(thread int, top frame) int {
	for _, bp := range w.Breaks {
		for i, at := range bp.Sides {
			if at.Line != top.Line || resolved(at.File) != resolved(top.Source.Path) {
				continue
			}
			if w.met == nil || w.met.of.Number != bp.Number || w.met.sides[i].thread == thread {
				return at.Column
			}
		}
	}
	return 0
}

// inFirst has an expression without a frame computed where the first side stands.
func (w *meetings) inFirst(m *message) *message {
	args := fields(m.Arguments)
	var frame int
	if decode(args["frameId"], &frame); frame != 0 || w.met == nil {
		return m
	}
	first := w.met.first()
	if first.above >= len(first.stack) {
		return m
	}
	args["frameId"] = raw(first.stack[first.above].ID)
	sent := *m
	sent.Arguments = raw(args)
	return &sent
}
