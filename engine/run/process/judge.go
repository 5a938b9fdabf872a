package process

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/hocket-dev/hocket/engine/trace"
)

// judge completes an outcome with what only the process's end and output show.
// at is the stack of the failure.
func judge(o *trace.Outcome, end *ending, at []trace.Frame) {
	o.Output = end.output
	if o.ExitCode == 0 {
		o.ExitCode = end.code
	}
	switch {
	case end.hang && !failed(o.Kind):
		o.Kind = trace.StepLimit
		o.Message = "the run did not end within its time limit"
	case o.Kind == trace.Panicked:
		o.Message = firstOf(panicMessage(end.output), o.Message)
	case o.Kind == trace.FatalError:
		o.Message = firstOf(fatalMessage(end.output), o.Message)
	case o.Kind == trace.TestFailed:
		o.Message = firstOf(testMessage(end.output, at), o.Message)
	case o.Kind == trace.InternalErr && end.code > 0:
		o.Kind = trace.ExitCode
		o.Message = fmt.Sprintf("exit status %d", end.code)
	case o.Kind == trace.InternalErr && end.code == 0:
		// The program left without passing through os.Exit.
		o.Kind, o.Message = trace.Passed, ""
	}
}

func failed(k trace.OutcomeKind) bool {
	switch k {
	case trace.Panicked, trace.FatalError, trace.TestFailed, trace.Deadlocked, trace.Leaked, trace.Livelock:
		return true
	}
	return false
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// panicMessage finds the runtime's report of the panic that ended the program:
// the last of the panics listed before a goroutine's trace, the one whose stack
// was recorded. Those that it replaced come before it, and it is then indented.
func panicMessage(out string) string {
	out = "\n" + out
	i := strings.LastIndex(out, "\npanic: ")
	if i < 0 {
		return ""
	}
	block, _, _ := strings.Cut(out[i+1:], "\n\ngoroutine ")
	message, _, _ := strings.Cut(block, "\n")
	for line := range strings.Lines(block) {
		if strings.HasPrefix(line, "\tpanic: ") {
			message = strings.TrimSpace(line)
		}
	}
	return strings.TrimSpace(reraised.ReplaceAllString(message, ""))
}

// reraised marks a panic that was recovered, and perhaps panicked with again.
var reraised = regexp.MustCompile(` \[recovered(, repanicked)?\]$`)

func fatalMessage(out string) string {
	i := strings.LastIndex("\n"+out, "\nfatal error: ")
	if i < 0 {
		return ""
	}
	line, _, _ := strings.Cut(out[i:], "\n")
	return strings.TrimSpace(line)
}

// logLine matches the place that package testing prints before a log entry.
var logLine = regexp.MustCompile(`^ +([^\s:]+\.go):(\d+): ?(.*)$`)

// logged is an entry of a test's log.
type logged struct {
	file, line string
	text       []string
}

// testMessage is the log entry of the test's first failure. Failures look like
// other entries of the log: the frames of the failure show which entry is
// meant; otherwise it is the last one before the verdict.
func testMessage(out string, at []trace.Frame) string {
	before, after, failed := strings.Cut(out, "--- FAIL: ")
	all := entries(out)
	for _, f := range at {
		for _, e := range all {
			if e.file == filepath.Base(f.File) && e.line == strconv.Itoa(f.Line) {
				return e.message()
			}
		}
	}
	if !failed {
		return ""
	}
	if said := entries(before); len(said) > 0 {
		return said[len(said)-1].message()
	}
	if said := entries(after); len(said) > 0 {
		return said[0].message()
	}
	name, _, _ := strings.Cut(after, " ")
	return name + " failed"
}

// entries splits the output of a test binary. The further lines of an entry
// are indented by four columns more than its first.
func entries(out string) []logged {
	var all []logged
	more := false
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\r\n")
		switch m := logLine.FindStringSubmatch(line); {
		case more && strings.HasPrefix(line, "        "):
			e := &all[len(all)-1]
			e.text = append(e.text, strings.TrimSpace(line))
		case m != nil:
			all = append(all, logged{m[1], m[2], []string{strings.TrimSpace(m[3])}})
			more = true
		default:
			more = false
		}
	}
	return all
}

// message is the first meaningful line. Assertion libraries begin with the
// place where they were called; the error follows "Error:".
func (e logged) message() string {
	for _, line := range e.text {
		if rest, ok := strings.CutPrefix(line, "Error:"); ok {
			return strings.TrimSpace(rest)
		}
	}
	for _, line := range e.text {
		if line != "" {
			return line
		}
	}
	return "failed at " + e.file + ":" + e.line
}
