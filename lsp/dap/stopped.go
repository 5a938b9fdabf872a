package dap

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// stopped passes on that the program has stopped. At a breakpoint, Delve is
// asked where the program stands; if at one of the stops, the event says which.
func (s *session) stopped(m *message) {
	var body struct {
		Reason   string
		ThreadID int
	}
	if json.Unmarshal(m.Body, &body) != nil || s.program == nil || !strings.Contains(body.Reason, "breakpoint") {
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
		if end := s.stops.end; end != nil && top.Name == end.Func {
			s.announce(m, len(s.program.Stops), end.What, s.stops.thread)
			return
		}
		s.evaluate("runtime.curg.hk.id", top.ID, func(g uint64) {
			s.evaluate("runtime.curg.hk.cnt", top.ID, func(count uint64) {
				i := s.at(top.Source.Path, top.Line, g, count)
				if i < 0 {
					pass()
					return
				}
				s.stops.thread = body.ThreadID
				s.announce(m, i, s.program.Stops[i].What, body.ThreadID)
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

// at is the stop at which a goroutine stands, -1 if it is at none.
func (s *session) at(file string, line int, g, count uint64) int {
	for i, st := range s.program.Stops {
		if st.Line == line && st.Matches(g, count) && resolved(st.File) == resolved(file) {
			return i
		}
	}
	return -1
}

// announce passes a stopped event on with the words of stop i.
func (s *session) announce(m *message, i int, what string, thread int) {
	n := len(s.program.Stops)
	if s.stops.end != nil {
		n++
	}
	text := fmt.Sprintf("%d of %d: %s", i+1, n, what)
	body := fields(m.Body)
	body["description"], body["text"] = raw(text), raw(text)
	if thread > 0 {
		body["threadId"] = raw(thread)
	}
	m.Body = raw(body)
	s.say("hocket: " + text + "\n")
	s.editor.send(*m)
}
