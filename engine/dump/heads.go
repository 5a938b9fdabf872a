package dump

import (
	"regexp"
	"slices"
	"strings"
)

// What announces a failure, and what logs of tests say between.

var (
	raceHead    = regexp.MustCompile(`WARNING: DATA RACE$`)
	countHead   = regexp.MustCompile(`^\s*goroutine(?:_?leak)? ?profile: total (\d+)$`)
	signalHead  = regexp.MustCompile(`^\s*SIG(?:QUIT|ABRT|TRAP): `)
	runningTest = regexp.MustCompile(`^\s+((?:Test|Example|Fuzz|Benchmark)\S*) \(.*\)$`)
	failedTest  = regexp.MustCompile(`(?:^|\s)--- FAIL: (\S+) \(`)
	startedTest = regexp.MustCompile(`^\s*=== (?:RUN|NAME|CONT)\s+(\S+)`)
	reraised    = regexp.MustCompile(` \[recovered(?:, (?:repanicked|reraised))?\]$`)
	timedOut    = regexp.MustCompile(`^test timed out after `)
	logEntry    = regexp.MustCompile(`^(\s{4,}|\t+)([\w.-]+_test\.go|[\w.-]+\.go):(\d+): ?(.*)$`)
)

// note is an entry of a test's log.
type note struct {
	file string
	at   int
	text string
	n    int
	pkg  string
}

const (
	maxNotes = 64 // of a test
	// maxOthers is how many lines of others may lie between two goroutines of a state.
	maxOthers = 40
)

// heads reads a line that belongs to no block.
func (t *text) heads(l line) {
	text := strings.TrimSpace(l.text)
	switch {
	case raceHead.MatchString(text):
		t.begin(&State{Kind: DataRace, Line: l.n})
		t.race = &openRace{}
		t.lines.within(l.text[:strings.Index(l.text, "WARNING: DATA RACE")])
	case countHead.MatchString(text):
		t.begin(&State{Kind: Profile, Line: l.n, All: true})
		if strings.Contains(text, "leak") {
			t.now.Kind = LeakProfile
		}
		t.counts = &openCount{}
	case failure(text, "panic: ") != "":
		t.panics(l, failure(text, "panic: "))
	case failure(text, "fatal error: ") != "":
		m := failure(text, "fatal error: ")
		s := &State{Kind: Fatal, Message: m, Line: l.n, All: true}
		if strings.HasPrefix(m, "all goroutines are asleep") {
			s.Kind = Deadlock
		}
		t.begin(s)
	case signalHead.MatchString(text):
		t.begin(&State{Kind: Quit, Message: text, Line: l.n, All: true})
	case text == "running tests:":
		t.running = t.now != nil
	case t.running && runningTest.MatchString(l.text):
		t.now.Tests = add(t.now.Tests, runningTest.FindStringSubmatch(l.text)[1])
	default:
		t.tests(l, text)
	}
}

// failure is the message of a line that begins with a word, perhaps after what a log
// put before it; "" if it does not.
func failure(text, word string) string {
	text = strings.TrimLeft(text, "`>|* ") // in a quotation
	i := strings.Index(text, word)
	if i < 0 || i > 40 || i > 0 && !strings.HasSuffix(text[:i], " ") {
		return ""
	}
	if i > 0 && strings.ContainsAny(text[:i], `"'(=`) {
		return ""
	}
	return strings.TrimSpace(text[i+len(word):])
}

// panics reads the line of a panic: one that replaces another comes below that.
func (t *text) panics(l line, m string) {
	m = reraised.ReplaceAllString(m, "")
	again := t.now != nil && t.now.Kind == Panic && len(t.now.Goroutines) == 0 && strings.HasPrefix(l.text, "\t")
	if again {
		t.now.Message = m
		return
	}
	s := &State{Kind: Panic, Message: m, Line: l.n}
	defer t.lines.within(l.text[:strings.Index(l.text, "panic: ")])
	if timedOut.MatchString(m) {
		s.Kind, s.All = TimeOut, true
	}
	t.begin(s)
}

// tests reads what package testing prints.
func (t *text) tests(l line, text string) {
	switch m := failedTest.FindStringSubmatch(l.text); {
	case m != nil:
		if t.now == nil || len(t.now.Goroutines) > 0 || t.now.Race != nil {
			t.endState()
		}
		t.failed = add(t.failed, m[1])
		t.test = m[1]
		return
	}
	if m := startedTest.FindStringSubmatch(l.text); m != nil {
		t.test = m[1]
		return
	}
	if m := logEntry.FindStringSubmatch(l.text); m != nil && t.test != "" {
		if t.logged == nil {
			t.logged = map[string][]note{}
		}
		if all := t.logged[t.test]; len(all) < maxNotes && len(t.logged) < maxTests {
			t.logged[t.test] = append(all, note{m[2], atoi(m[3]), m[4], l.n, l.pkg})
		}
	}
	if t.others++; t.now != nil && len(t.now.Goroutines) > 0 && t.others > maxOthers {
		t.endState() // what follows is of something else
	}
}

// failures makes states of tests that failed by themselves, if nothing worse is there.
func (t *text) failures() {
	if len(t.states) > 0 {
		return
	}
	for i, test := range t.failed {
		if len(t.states) == maxStates || slices.ContainsFunc(t.failed[i+1:], func(s string) bool { return strings.HasPrefix(s, test+"/") }) ||
			slices.ContainsFunc(t.failed[:i], func(s string) bool { return strings.HasPrefix(s, test+"/") }) {
			continue
		}
		s := &State{Kind: TestFailure, Tests: []string{test}}
		for _, n := range t.logged[test] {
			s.Place, s.Message, s.Package, s.Line = Frame{File: n.file, Line: n.at}, n.text, n.pkg, n.n
			s.Log = append(s.Log, Logged{s.Place, n.text})
		}
		if len(s.Log) > 0 {
			t.states = append(t.states, s)
		}
	}
}

func add(list []string, s string) []string {
	if slices.Contains(list, s) || len(list) >= maxTests {
		return list
	}
	return append(list, s)
}
