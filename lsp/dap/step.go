package dap

import (
	"encoding/json"
	"fmt"
)

// step is a step that was asked of a goroutine held before its statement. The
// goroutine first runs until the breakpoint lets it go on, which may take until
// other sides have done their statements; the step itself starts there.
type step struct {
	command   string
	arguments json.RawMessage
	thread    int
}

// stepFrom serves next, stepIn and stepOut.
func (w *meetings) stepFrom(s *session, m *message) {
	var thread int
	decode(fields(m.Arguments)["threadId"], &thread)
	s.stack(thread, func(stack []frame) {
		n := above(stack)
		if n == 0 || n == len(stack) {
			s.forward(m, nil)
			return
		}
		w.step = &step{m.Command, m.Arguments, thread}
		// The statement starts where the call before it returns.
		w.at.other[setInstructions] = []json.RawMessage{raw(map[string]string{
			"instructionReference": stack[n].PC, "condition": fmt.Sprintf("runtime.curg.goid == %d", thread)})}
		s.setAgain(setInstructions, func(*message) {
			s.call("continue", raw(map[string]int{"threadId": thread}), func(a *message) { s.answer(m, *a) })
		})
	})
}

// arrived: the program has stopped while a step was under way. Where it is the
// goroutine's own statement the step starts; any other stop ends the step.
func (w *meetings) arrived(s *session, m *message, reason string, thread int) {
	st := w.step
	w.step = nil
	delete(w.at.other, setInstructions)
	s.setAgain(setInstructions, func(*message) {
		if reason == "instruction breakpoint" && thread == st.thread {
			s.call(st.command, st.arguments, func(*message) {})
			return
		}
		w.stopped(s, m)
	})
}
