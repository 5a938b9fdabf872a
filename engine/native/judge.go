package native

import (
	"fmt"
	"iter"
	"regexp"
	"strings"

	"github.com/hocket-dev/hocket/breakpoints/reproduce"
	"github.com/hocket-dev/hocket/engine/trace"
)

// judge decides whether a run failed as the trace did.
type judge struct {
	reproduce.Judge
	places []string // of Judge.Blocked: "dir/file.go:12"
	custom func(output string, exit int) bool
}

func newJudge(req Request) (*judge, error) {
	j := &judge{custom: req.SameFailure}
	switch {
	case req.Judge != nil:
		j.Judge, j.places = *req.Judge, req.Blocked
	case req.Trace == nil:
		if j.custom == nil || req.Plan == nil {
			return nil, fmt.Errorf("confirm: no trace")
		}
	default:
		own, frames, err := JudgeOf(req.Trace, req.Target.Func())
		if err != nil && j.custom == nil {
			return nil, err
		}
		j.Judge = own
		for _, f := range frames {
			j.places = append(j.places, reproduce.ShortPlace(f.File, f.Line, f.Line))
		}
	}
	return j, nil
}

// JudgeOf returns a judge that tells a trace's failure from others, and the
// places where its goroutines are blocked forever, or race. The caller sets
// Judge.Blocked, the statements there.
func JudgeOf(t *trace.Trace, entry string) (reproduce.Judge, []trace.Frame, error) {
	o := t.Outcome
	j := reproduce.Judge{Kind: string(o.Kind), Message: o.Message, Entry: entry}
	switch o.Kind {
	case trace.Passed, trace.StepLimit, trace.InternalErr, "":
		return j, nil, ErrNoFailure
	case trace.Raced:
		frames, err := racing(t)
		return j, frames, err
	case trace.TestFailed:
		j.Silent = !reproduce.PrintsLine(o.Output, o.Message)
	case trace.ExitCode:
		j.ExitCode, j.LastLine = o.ExitCode, lastLine(o.Output)
	}
	var frames []trace.Frame
	for _, b := range o.Blocked {
		if f, ok := t.UserFrame(b.Stack); ok {
			frames = append(frames, f)
		}
	}
	return j, frames, nil
}

// lastLine is the last line that is not empty, and none that package testing prints with
// -v alone: the ordinary build runs without.
func lastLine(output string) string {
	for line := range backward(output) {
		if line = strings.TrimSpace(line); line != "" && !verbose.MatchString(line) {
			return line
		}
	}
	return ""
}

var verbose = regexp.MustCompile(`^(=== (RUN|PAUSE|CONT|NAME) |--- PASS: )`)

// backward are the lines of a text, the last one first.
func backward(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			i := strings.LastIndexByte(text, '\n')
			if !yield(text[i+1:]) {
				return
			}
			text = text[:max(i, 0)]
		}
	}
}

// racing are the places of the first race. One side may be unknown: of some
// accesses in std only the innermost frame is recorded.
func racing(t *trace.Trace) ([]trace.Frame, error) {
	for _, r := range t.Races {
		var at []trace.Frame
		for _, a := range []trace.Access{r.First, r.Second} {
			if f, ok := t.UserFrame(a.Stack); ok {
				at = append(at, f)
			}
		}
		if len(at) > 0 {
			return at, nil
		}
	}
	return nil, ErrNoFailure
}

// loops reports whether the failure is that the program goes round in a loop.
func (j *judge) loops() bool { return j.Kind == string(trace.Livelock) }

// hangs reports whether the failure is that nobody goes on.
func (j *judge) hangs() bool { return j.Kind == string(trace.Deadlocked) }

// canGoOn reports whether a dump has a goroutine of the program's that runs, or would
// with a processor, or sleeps.
func canGoOn(dump string) bool { return goingOn.MatchString(dump) }

var goingOn = regexp.MustCompile(`(?m)^goroutine [1-9]\d*(?: gp=\S+ m=\S+(?: mp=\S+)?)? \[(running|runnable|sleep)`)

func (j *judge) same(r *attempt) bool {
	if j.custom != nil {
		return !r.quit && j.custom(r.output, r.exit)
	}
	return j.Same(reproduce.Ended{Exit: r.exit, Output: r.output, Quit: r.quit, Busy: r.busy, Dump: r.report.Dump}, j.places)
}
