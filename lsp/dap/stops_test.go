package dap_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-dap"
)

// TestStops goes through the run of a finding from stop to stop.
func TestStops(t *testing.T) {
	for _, c := range []struct {
		program, kind string
		stops         []string // "line: words" that must be there, in this order; * is any line
		variable      string   // at the last of them that has a line
		value         string
		after         string // of the program's output, in the end
	}{
		{"shelf", "panic", []string{"21: is stopped before this line, buy#", "43: panic: sold twice"}, "s.left", "-1", "panic: sold twice"},
		{"transfer", "deadlock", []string{"14: main.func1 is stopped before this line, main.func2 goes on",
			"14: main.func2 will wait here for ever", "0: deadlock: all goroutines are asleep"}, "amount", "2", ""},
		{"racy", "data-race", []string{"10: main.func1#1 writes here first", "*: here too, and nothing orders the two"}, "c.n", "1", ""},
		{"hits", "panic", []string{"10: main.func1#1 is stopped before this line", "25: panic: a hit was lost"}, "c.n", "1", "a hit was lost"},
		{"config", "test-failure", []string{"17: config.load is stopped before this line, TestLoad goes on", "27: ready without a name"}, "name", `""`, "FAIL: TestLoad"},
	} {
		t.Run(c.program+"/"+c.kind, func(t *testing.T) {
			s := debug(t, c.program, c.kind)
			s.start()
			seen := s.through(c.variable, c.value)
			s.gone()
			rest := c.stops
			for _, stop := range seen {
				line, words, _ := strings.Cut(rest[0], ": ")
				if (line == "*" || strings.HasPrefix(stop, line+": ")) && strings.Contains(stop, words) {
					if rest = rest[1:]; len(rest) == 0 {
						break
					}
				}
			}
			if len(rest) > 0 {
				t.Errorf("no stop %q; there were\n%s", rest[0], strings.Join(seen, "\n"))
			}
			if out := s.output(); !strings.Contains(out, c.after) {
				t.Errorf("the program wrote %q, not %q", out, c.after)
			}
		})
	}
}

// through continues from stop to stop until the program ends, checks what is
// shown at each, and returns "line: words" of each.
func (c *client) through(variable, value string) (seen []string) {
	c.t.Helper()
	for n := 1; ; n++ {
		m := c.wait("stop or end", func(m dap.Message) bool {
			switch m.(type) {
			case *dap.StoppedEvent, *dap.TerminatedEvent:
				return true
			}
			return false
		})
		ev, ok := m.(*dap.StoppedEvent)
		if !ok {
			if n <= len(c.stops) {
				c.t.Errorf("the program ended after %d of %d stops", n-1, len(c.stops))
			}
			c.request("disconnect", nil)
			return seen
		}
		count, words, _ := strings.Cut(ev.Body.Text, ": ")
		frame := c.top(ev.Body.ThreadId)
		switch {
		case n <= len(c.stops):
			c.atStop(n, ev, frame)
			if n == len(c.stops) {
				if got := c.variable(frame, variable); got != value {
					c.t.Errorf("%s is %s at the last stop, not %s", variable, got, value)
				}
			}
		case ev.Body.Reason != "exception" && !strings.HasPrefix(count, fmt.Sprintf("%d of", n)):
			c.t.Errorf("one stop too many: %+v at %+v", ev.Body, frame)
		}
		if n > len(c.stops) {
			if strings.HasPrefix(frame.Name, "runtime.") || frame.Source == nil {
				c.t.Errorf("the end is shown at %+v, which is no line of the user's", frame)
			}
			frame.Line = 0 // whichever it waits at
		}
		seen = append(seen, fmt.Sprintf("%d: %s", frame.Line, words))
		c.goOn(ev.Body.ThreadId)
	}
}

// atStop checks that the n-th stop is shown as it is.
func (c *client) atStop(n int, ev *dap.StoppedEvent, frame dap.StackFrame) {
	c.t.Helper()
	want := c.stops[n-1]
	if !strings.HasPrefix(ev.Body.Text, fmt.Sprintf("%d of ", n)) || !strings.HasSuffix(ev.Body.Text, want.What) {
		c.t.Errorf("stop %d says %q, not %q", n, ev.Body.Text, want.What)
	}
	// The badge is short; a stop at an instruction would open the disassembly.
	if short := fmt.Sprintf("stop %d of ", n); !strings.HasPrefix(ev.Body.Description, short) || len(ev.Body.Description) > len(short)+3 || ev.Body.Reason != "breakpoint" {
		c.t.Errorf("stop %d is announced as %q, for the reason %q", n, ev.Body.Description, ev.Body.Reason)
	}
	if frame.Line != want.Line || frame.Source == nil || filepath.Base(frame.Source.Path) != filepath.Base(want.File) {
		c.t.Errorf("stop %d is shown at %+v, not at %s:%d", n, frame, want.File, want.Line)
	}
	threads := ask[*dap.ThreadsResponse](c, "threads", nil).Body.Threads
	if !slices.ContainsFunc(threads, func(th dap.Thread) bool { return th.Id == ev.Body.ThreadId }) {
		c.t.Errorf("stop %d: thread %d is not among %+v", n, ev.Body.ThreadId, threads)
	}
}

// output is what the program has written.
func (c *client) output() string {
	var b strings.Builder
	for _, m := range c.kept {
		if o, ok := m.(*dap.OutputEvent); ok && o.Body.Category != "console" {
			b.WriteString(o.Body.Output)
		}
	}
	return b.String()
}

// TestTimeStandsStill stops for longer than the controlled runtime waits for
// anything, and steps: the schedule holds all the same.
func TestTimeStandsStill(t *testing.T) {
	s := debug(t, "shelf", "panic")
	s.start()
	first := waitFor[*dap.StoppedEvent](s)
	time.Sleep(2500 * time.Millisecond) // more than its 2 s
	s.goOn(first.Body.ThreadId)
	second := waitFor[*dap.StoppedEvent](s)
	if line := s.top(second.Body.ThreadId).Line; line != 21 {
		t.Fatalf("the second stop is at line %d", line)
	}
	// Over the lock: the other buyer runs to its end meanwhile.
	ask[*dap.NextResponse](s, "next", map[string]int{"threadId": second.Body.ThreadId})
	after := waitFor[*dap.StoppedEvent](s)
	frame := s.top(after.Body.ThreadId)
	if after.Body.ThreadId != second.Body.ThreadId || frame.Line != 22 {
		t.Fatalf("a step went from line 21 of thread %d to line %d of thread %d", second.Body.ThreadId, frame.Line, after.Body.ThreadId)
	}
	if left := s.variable(frame, "s.left"); left != "0" {
		t.Errorf("s.left is %s after the other one bought", left)
	}
	for {
		s.goOn(after.Body.ThreadId)
		after = waitFor[*dap.StoppedEvent](s)
		if after.Body.Reason == "exception" {
			break
		}
	}
	if !strings.Contains(after.Body.Text, "sold twice") {
		t.Errorf("another end: %+v", after.Body)
	}
	s.end()
}

// TestOwnBreakpoints sets breakpoints beside the stops, on lines with and
// without one.
func TestOwnBreakpoints(t *testing.T) {
	s := debug(t, "shelf", "panic")
	s.start(dap.SetBreakpointsArguments{Source: dap.Source{Path: filepath.Join(s.dir, "main.go")},
		Breakpoints: []dap.SourceBreakpoint{{Line: 30}, {Line: 21, Condition: `buyer != ""`}}})
	var lines []int
	for {
		ev := waitFor[*dap.StoppedEvent](s)
		if ev.Body.Reason == "exception" {
			break
		}
		lines = append(lines, s.top(ev.Body.ThreadId).Line)
		s.goOn(ev.Body.ThreadId)
	}
	s.end()
	// Both buyers pass line 30; line 21 is a stop for one, a breakpoint for
	// the other.
	for line, want := range map[int]int{30: 2, 21: 2, 41: 1, 43: 1} {
		n := 0
		for _, l := range lines {
			if l == line {
				n++
			}
		}
		if n != want {
			t.Errorf("stopped %d times at line %d, not %d: %v", n, line, want, lines)
		}
	}
}
