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
	// eachSide: stop also when a side has done its statement.
	eachSide bool
	passing  *meeting // the last one, of which sides are stopped at; nil without eachSide
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
	hitFunction = runtimePackage + "hit"
	didFunction = runtimePackage + "Did"
	// hereFunction holds a goroutine at side of breakpoint b.
	hereFunction = runtimePackage + "(*Breakpoint).here"
	// showFunction calls hit; its m.order are the visits that have met, in the
	// order of release.
	showFunction = runtimePackage + "(*Breakpoint).show"
)

// atHit is the breakpoint at the runtime's hit.
var atHit = raw(map[string]string{"name": hitFunction})

func newMeetings(d *engine.BreakDebuggee) *meetings {
	w := &meetings{BreakDebuggee: d, at: newStops()}
	w.at.other[setFunctions] = []json.RawMessage{atHit}
	return w
}

func (w *meetings) program() program {
	return program{path: w.Program, dir: w.Dir, args: w.Args, env: w.Env, moved: w.Moved}
}

func (w *meetings) launched(args map[string]json.RawMessage) {
	_ = json.Unmarshal(args["stopEachSide"], &w.eachSide)
}

func (w *meetings) stops() *stops { return w.at }
func (w *meetings) close()        { w.Close() }

func (w *meetings) greeting() string {
	var b strings.Builder
	fmt.Fprintf(&b, "hocket: the program stops where all sides of a concurrent breakpoint have met, before any of them goes on\n")
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
		s.hidden(m, above, w.column)
	case "threads":
		w.nameThreads(s, m)
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
	if w.passing != nil {
		w.passed(s, m, body.ThreadID, func() { w.atMeeting(s, m, body.ThreadID) })
		return
	}
	w.atMeeting(s, m, body.ThreadID)
}

// atMeeting passes a stop of a goroutine on, in words if it is a meeting.
func (w *meetings) atMeeting(s *session, m *message, stopped int) {
	pass := func() { s.editor.send(*m) }
	w.hitting(s, stopped, func(thread, number int) {
		if thread == 0 {
			pass()
			return
		}
		w.meet(s, number, thread, func(met *meeting) {
			switch {
			case met == nil:
				pass()
			case thread == stopped:
				w.announce(s, m, met)
			default: // both at once: the editor's own breakpoint is not hidden
				w.met = met
				s.say("hocket: " + met.String() + "\n")
				pass()
			}
		})
	})
}

// hitting finds the goroutine that stands in the runtime's hit: the one that
// has stopped, or another that got there at the same moment. 0 if there is none.
func (w *meetings) hitting(s *session, stopped int, then func(thread, number int)) {
	ask := func(thread int, otherwise func()) {
		s.stack(thread, func(stack []frame) {
			switch {
			case inCondition(stack):
				s.call("continue", raw(map[string]int{"threadId": thread}), func(*message) {})
				return
			case len(stack) == 0 || stack[0].Name != hitFunction:
				otherwise()
				return
			}
			s.evaluate("id", stack[0].ID, func(number uint64) { then(thread, int(number)) })
		})
	}
	ask(stopped, func() {
		s.threads(func(all []thread) {
			for _, th := range all {
				if strings.Contains(th.Name, hitFunction) {
					ask(th.ID, func() { then(0, 0) })
					return
				}
			}
			then(0, 0)
		})
	})
}

// inCondition reports that a breakpoint of the editor's has stopped in the
// condition of a side on its line, which is a function literal there: it has
// stopped before the line already.
func inCondition(stack []frame) bool {
	return above(stack) > 0 && literal.MatchString(stack[0].Name) && !strings.HasPrefix(stack[0].Name, runtimePackage)
}

// announce passes the stop on in words.
func (w *meetings) announce(s *session, m *message, met *meeting) {
	w.met = met
	w.watchSides(s, met, func() { s.worded(m, met.of.ID+" hit", met.String(), met.first().thread) })
}

// worded passes on that the program has stopped at a place of the guide's. What is short
// stands beside the name of the goroutine. The reason is that of a breakpoint at a line,
// whatever Delve's was: at one at an instruction editors show the disassembly.
func (s *session) worded(m *message, short, text string, thread int) {
	body := fields(m.Body)
	delete(body, "hitBreakpointIds") // the editor does not know ours
	body["reason"], body["allThreadsStopped"] = raw("breakpoint"), raw(true)
	body["description"], body["text"] = raw(short), raw(text)
	if thread > 0 {
		body["threadId"] = raw(thread)
	}
	m.Body = raw(body)
	s.say("hocket: " + text + "\n")
	s.editor.send(*m)
}

// first is the side that goes on first.
func (m *meeting) first() side {
	for _, n := range m.of.Order {
		if sd := m.sides[n-1]; !sd.passed() {
			return sd
		}
	}
	return m.sides[m.of.Order[0]-1]
}

// passed reports that a side is not held: the first one of an order goes on at
// once, and others meet it later.
func (sd side) passed() bool { return sd.thread != 0 && sd.above == 0 }

// String is "concurrent breakpoint b1 hit: reader at a.go:12 and writer at
// b.go:40 meet; writer goes first".
func (m *meeting) String() string {
	var who, order, passed []string
	for i, sd := range m.sides {
		at := place(m.of.Sides[i].File, m.of.Sides[i].Line)
		if sd.passed() {
			passed = append(passed, fmt.Sprintf("side %d has passed %s", i+1, at))
		} else {
			who = append(who, m.called(i)+" at "+at)
		}
	}
	for _, n := range m.of.Order {
		if !m.sides[n-1].passed() {
			order = append(order, m.called(n-1))
		}
	}
	text := "concurrent breakpoint " + m.of.ID + " hit: "
	switch {
	case len(who) == 0:
		return text + strings.Join(passed, ", ")
	case len(passed) > 0:
		return fmt.Sprintf("%s%s; %s goes on now%s", text, strings.Join(passed, ", "), who[0], then(order))
	}
	last := len(who) - 1
	return fmt.Sprintf("%s%s and %s meet; %s goes first%s", text, strings.Join(who[:last], ", "), who[last], order[0], then(order[1:]))
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

// nameThreads names the goroutines at sides: those of the meeting, and those
// that wait for one.
func (w *meetings) nameThreads(s *session, m *message) {
	s.call(m.Command, m.Arguments, func(a *message) {
		met := w.met
		var among []thread
		for _, th := range threadsOf(a) {
			known := met != nil && met.side(th.ID) >= 0
			if !known && (th.mayWait() || w.passing != nil && w.passing.side(th.ID) >= 0) {
				among = append(among, th)
			}
		}
		w.visits(s, among, func(waiting []visit) {
			names := map[int]string{}
			for _, v := range waiting {
				names[v.thread] = v.name
				if bp := w.numbered(v.id); bp != nil && v.n <= len(bp.Sides) {
					at := bp.Sides[v.n-1]
					names[v.thread] = fmt.Sprintf("%s (waits at side %d of %s, %s)", v.name, v.n, bp.ID, place(at.File, at.Line))
				}
			}
			if met != nil {
				for i, sd := range met.sides {
					if sd.passed() {
						continue
					}
					at := met.of.Sides[i]
					names[sd.thread] = fmt.Sprintf("%s (side %d at %s)", sd.name, i+1, place(at.File, at.Line))
				}
			}
			rename(a, names)
			s.answer(m, *a)
		})
	})
}

// rename gives threads of an answer other names, and keeps the goroutine's number.
func rename(answer *message, names map[int]string) {
	body := fields(answer.Body)
	var threads []map[string]json.RawMessage
	if json.Unmarshal(body["threads"], &threads) != nil {
		return
	}
	for _, th := range threads {
		var id int
		decode(th["id"], &id)
		if name := names[id]; name != "" {
			th["name"] = raw(fmt.Sprintf("%s [Go %d]", name, id))
		}
	}
	body["threads"] = raw(threads)
	answer.Body = raw(body)
}

// side is the number of the side at which a goroutine stands, from 0; -1 if at
// none.
func (m *meeting) side(thread int) int {
	return slices.IndexFunc(m.sides, func(sd side) bool { return thread != 0 && sd.thread == thread })
}

// numbered is the breakpoint that the program knows by a number, or nil.
func (w *meetings) numbered(number int) *engine.DebugBreak {
	for i := range w.Breaks {
		if w.Breaks[i].Number == number {
			return &w.Breaks[i]
		}
	}
	return nil
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
