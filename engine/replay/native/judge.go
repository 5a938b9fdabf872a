package native

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/hocket-dev/hocket/engine/trace"
)

// judge decides whether a run failed as the trace did.
type judge struct {
	outcome trace.Outcome
	places  []string // of goroutines that wait for ever: "dir/file.go:12"
	entry   string
	custom  func(output string, exit int) bool
}

func newJudge(req Request) (*judge, error) {
	j := &judge{custom: req.SameFailure, entry: req.Target.Func()}
	if req.Trace == nil {
		if j.custom == nil || req.Plan == nil {
			return nil, fmt.Errorf("confirm: no trace")
		}
		return j, nil
	}
	j.outcome = req.Trace.Outcome
	switch j.outcome.Kind {
	case trace.Passed, trace.Raced, trace.StepLimit, trace.InternalErr, "":
		if j.custom == nil {
			return nil, ErrNoFailure
		}
	}
	for _, b := range j.outcome.Blocked {
		if f, ok := req.Trace.UserFrame(b.Stack); ok {
			j.places = append(j.places, shortPlace(f.File, f.Line))
		}
	}
	return j, nil
}

// needsDump: who is left is to be looked at before the process ends.
func (j *judge) needsDump() bool { return j.outcome.Kind == trace.Leaked }

func (j *judge) same(r *run) bool {
	if j.custom != nil {
		return !r.quit && j.custom(r.output, r.exit)
	}
	switch j.outcome.Kind {
	case trace.Deadlocked:
		asleep := strings.Contains(r.output, "all goroutines are asleep")
		return (r.quit || asleep) && j.allBlocked(r.output)
	case trace.Leaked:
		return j.allBlocked(r.report.Dump) || r.quit && j.allBlocked(r.output)
	case trace.TestFailed:
		return !r.quit && r.exit == 1 && strings.Contains(r.output, "--- FAIL: "+j.entry) && j.hasMessage(r.output)
	case trace.ExitCode:
		return !r.quit && r.exit == j.outcome.ExitCode
	}
	return !r.quit && r.exit != 0 && j.hasMessage(r.output)
}

// hasMessage looks for the failure's message among the output's lines,
// whatever numbers it has. A test's message counts only if the trace's output
// shows that it is printed.
func (j *judge) hasMessage(output string) bool {
	want := normalize(j.outcome.Message)
	if want == "" || j.outcome.Kind == trace.TestFailed && !containsLine(j.outcome.Output, want) {
		return true
	}
	return containsLine(output, want)
}

func containsLine(output, want string) bool {
	for line := range strings.Lines(output) {
		if strings.Contains(normalize(line), want) {
			return true
		}
	}
	return false
}

var numbers = regexp.MustCompile(`0x[0-9a-fA-F]+|\d+`)

func normalize(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return strings.Join(strings.Fields(numbers.ReplaceAllString(s, "#")), " ")
}

var waitHeader = regexp.MustCompile(`^goroutine \d+(?: gp=\S+ m=\S+(?: mp=\S+)?)? \[(chan receive|chan send|select|sync\.|semacquire)`)

// allBlocked says that a dump has a blocked goroutine at each of the places
// where the trace's goroutines wait for ever.
func (j *judge) allBlocked(dump string) bool {
	if len(j.places) == 0 {
		return false
	}
	need := map[string]int{}
	for _, p := range j.places {
		need[p] = 1
	}
	for _, g := range strings.Split(dump, "\n\n") {
		if !waitHeader.MatchString(strings.TrimLeft(g, "\n")) {
			continue
		}
		for line := range strings.Lines(g) {
			line = strings.TrimSpace(line)
			at, _, _ := strings.Cut(line, " ")
			file, num, ok := cutLast(at, ":")
			if ok {
				delete(need, lastTwo(file)+":"+num)
			}
		}
	}
	return len(need) == 0
}

// shortPlace names a line whatever the machine's folders or -trimpath.
func shortPlace(file string, line int) string { return fmt.Sprintf("%s:%d", lastTwo(file), line) }

func lastTwo(file string) string {
	return path.Join(path.Base(path.Dir(file)), path.Base(file))
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
