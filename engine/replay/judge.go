package replay

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hocket-dev/hocket/engine/trace"
)

// judge completes an outcome with what only the process's end and output tell.
func judge(o *trace.Outcome, end *ending) {
	o.Output = end.output
	if o.ExitCode == 0 {
		o.ExitCode = end.code
	}
	switch {
	case end.hang && !failed(o.Kind):
		o.Kind = trace.StepLimit
		o.Message = "no end within the time limit of a run"
	case o.Kind == trace.Panicked:
		o.Message = firstOf(panicMessage(end.output), o.Message)
	case o.Kind == trace.FatalError:
		o.Message = firstOf(fatalMessage(end.output), o.Message)
	case o.Kind == trace.TestFailed:
		o.Message = firstOf(testMessage(end.output), o.Message)
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
	case trace.Panicked, trace.FatalError, trace.TestFailed, trace.Deadlocked, trace.Leaked:
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
// the last "panic: ..." before the goroutine that it names.
func panicMessage(out string) string {
	i := strings.LastIndex(out, "\npanic: ")
	if strings.HasPrefix(out, "panic: ") && i < 0 {
		i = 0
	} else if i >= 0 {
		i++
	}
	if i < 0 {
		return ""
	}
	line, _, _ := strings.Cut(out[i:], "\n")
	line = recovered.ReplaceAllString(line, "")
	return strings.TrimSpace(line)
}

var recovered = regexp.MustCompile(` \[recovered(, repanicked)?\]$`)

func fatalMessage(out string) string {
	i := strings.LastIndex(out, "fatal error: ")
	if i < 0 {
		return ""
	}
	line, _, _ := strings.Cut(out[i:], "\n")
	return strings.TrimSpace(line)
}

var testLine = regexp.MustCompile(`(?m)^\s+\S+\.go:\d+: (.*)$`)

// testMessage is what the first failing test said last.
func testMessage(out string) string {
	fail := strings.Index(out, "--- FAIL: ")
	if fail < 0 {
		return ""
	}
	name, _, _ := strings.Cut(out[fail+len("--- FAIL: "):], " ")
	// With -v the log lines precede the verdict; without, they follow it.
	before := testLine.FindAllStringSubmatch(out[:fail], -1)
	if len(before) > 0 {
		return strings.TrimSpace(before[len(before)-1][1])
	}
	if m := testLine.FindStringSubmatch(out[fail:]); m != nil {
		return strings.TrimSpace(m[1])
	}
	return name + " failed"
}
