package dump

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Bounds of what is kept of one text.
const (
	maxBytes  = 1 << 30 // of a text that is read
	maxStates = 64
	maxGroups = 4096 // goroutines that differ, of one state
	maxDepth  = 128  // calls of a goroutine
	maxTests  = 256
	maxIDs    = 1 << 20
)

// ErrNothing means that a text holds nothing that tells of a failure.
var ErrNothing = errors.New("no goroutines, panic, failed test or race report in it")

// Read reads all states of an artefact, in the order in which they come. name is its
// file's, for errors. A text that is cut gives what is there, which the states say.
func Read(r io.Reader, name string) ([]*State, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	head, _ := in.Peek(16)
	var states []*State
	var err error
	switch {
	case len(head) == 0:
		return nil, fmt.Errorf("read %s: it is empty", name)
	case isELF(head):
		return nil, fmt.Errorf("read %s: it is an executable or a core file; a core is read by its name, not as text", name)
	case isTrace(head):
		states, err = readTrace(in)
	case isProfile(head):
		states, err = readProfile(in)
	default:
		states, err = readText(in)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(states) == 0 {
		return nil, fmt.Errorf("read %s: %w; give it the whole output of the program or test", name, ErrNothing)
	}
	return states, nil
}

// isELF tells ELF and Mach-O files.
func isELF(head []byte) bool {
	return strings.HasPrefix(string(head), "\x7fELF") || strings.HasPrefix(string(head), "\xcf\xfa\xed\xfe")
}

// readText reads what Go programs and tests print, and logs with that inside.
func readText(r io.Reader) ([]*State, error) {
	t := &text{lines: newLines(r, maxBytes)}
	for {
		l, ok, err := t.lines.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		t.line(l)
	}
	t.end()
	return t.states, nil
}

// text makes states of lines.
type text struct {
	lines   *lines
	states  []*State
	now     *State            // what goroutines that come next belong to; nil: nothing yet
	stack   *openStack        // whose calls are being read
	race    *openRace         // that is being read
	counts  *openCount        // of a profile in text form
	folder  *Folder           // of now
	ids     map[int64]bool    // of now
	others  int               // lines since its last goroutine
	logged  map[string][]note // entries of the logs of tests, by package and test
	failed  []string          // tests that the log says have failed
	running bool              // the names of running tests come next
	test    string            // whose output this is, as far as the log says so
}

// line takes the next line.
func (t *text) line(l line) {
	if t.race != nil {
		if t.race.add(l.text) {
			return
		}
		t.closeRace()
	}
	if t.counts != nil {
		if t.counts.add(l.text) {
			return
		}
		t.closeCount()
	}
	if s, prefix, ok := openGoroutine(l.text); ok {
		t.closeStack()
		t.openState(l, s.g.ID)
		t.stack, t.others = s, 0
		if prefix != "" {
			t.lines.within(prefix)
		}
		return
	}
	if t.stack != nil {
		own, more := t.stack.add(l.text)
		if own {
			return
		}
		if !more {
			t.closeStack()
		}
	}
	t.heads(l)
}

// openState makes a state for goroutines that no head announced. A number that was
// there before is one of another dump.
func (t *text) openState(l line, id int64) {
	if t.now == nil || t.ids[id] {
		t.begin(&State{Kind: Goroutines, Line: l.n, All: true})
	}
	if t.running = false; len(t.ids) < maxIDs {
		t.ids[id] = true
	}
}

// begin begins a state.
func (t *text) begin(s *State) {
	t.endState()
	t.now, t.folder, t.ids, t.others = s, NewFolder(s), map[int64]bool{}, 0
}

// endState files the state that was being read.
func (t *text) endState() {
	t.closeStack()
	s := t.now
	t.now = nil
	t.lines.within("")
	if s == nil || len(s.Goroutines) == 0 && s.Race == nil && s.Place == (Frame{}) && s.Message == "" {
		return
	}
	s.finish()
	if len(t.states) < maxStates {
		t.states = append(t.states, s)
	}
}

// finish tells what only the whole state shows.
func (s *State) finish() {
	if s.Kind == Panic || s.Kind == Fatal || s.Kind == TimeOut {
		for i := range s.Goroutines {
			if s.Goroutines[i].Reason == "running" || strings.HasPrefix(s.Goroutines[i].Reason, "running ") {
				s.Goroutines[i].Failing = s.Kind != TimeOut
				break
			}
		}
	}
	if s.Kind == Panic && s.Total() > 1 {
		s.All = true
	}
}

// closeStack files the goroutine that was being read.
func (t *text) closeStack() {
	s := t.stack
	t.stack = nil
	if s == nil || t.now == nil {
		return
	}
	s.drop()
	if s.fn != "" || len(s.g.Frames) == 0 && s.g.Created == (Frame{}) && !s.g.Elided {
		return
	}
	t.folder.Add(s.g)
}

// end is called after the last line.
func (t *text) end() {
	cut := t.lines.cut
	if t.stack != nil && !t.stack.over && t.stack.fn != "" {
		cut = "the text ends within a goroutine's calls"
	}
	t.closeStack()
	t.closeRace()
	t.closeCount()
	t.endState()
	t.failures()
	if n := len(t.states); n > 0 && cut != "" {
		t.states[n-1].Cut = cut
	}
	for _, s := range t.states {
		s.Tests = names(s.Tests, t.failed)
	}
}

// names are those that a state names itself, or else those that the log says failed.
func names(own, failed []string) []string {
	if len(own) > 0 {
		return own
	}
	return failed
}
