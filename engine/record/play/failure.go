package play

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hocket-dev/hocket/engine/record"
)

var (
	panicLine = regexp.MustCompile(`(?m)^(panic: .*|fatal error: .*|SIG[A-Z]+: .*)$`)
	// failLine is what a test logged before it failed: its lines are indented.
	failLine = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+).*\n((?:[ \t]+.*\n?)*)`)
	logLine  = regexp.MustCompile(`(?m)^\s+(\S+\.go:\d+: .*)$`)
	// recovered is what the runtime adds where a deferred call has panicked again.
	recovered = regexp.MustCompile(` \[recovered[^\]]*\]$`)
	numbers   = regexp.MustCompile(`0x[0-9a-fA-F]+|\d+`)
)

// DoesNotEnd is the failure of a run that took too long, as package report has it.
const DoesNotEnd = "does not end"

// FailureOf is the line that says why a process failed, "" if it did not: a panic or
// a fatal error, what a failed test logged, or the exit code.
func FailureOf(output string, exit int, outcome record.Outcome) string {
	if outcome == record.Passed {
		return ""
	}
	if outcome == record.Timeout {
		return DoesNotEnd
	}
	if m := panicLine.FindString(output); m != "" {
		return recovered.ReplaceAllString(m, "")
	}
	if m := failLine.FindStringSubmatch(output); m != nil {
		if l := logLine.FindStringSubmatch(m[2]); l != nil {
			return l[1]
		}
		// testing prints what was logged before that line where -v is given.
		if l := logLine.FindAllStringSubmatch(output, -1); l != nil {
			return l[len(l)-1][1]
		}
		return m[1] + " fails"
	}
	if outcome == record.Killed {
		return "killed by a signal"
	}
	output = strings.TrimSpace(output)
	last := strings.TrimSpace(output[strings.LastIndexByte(output, '\n')+1:])
	return strings.TrimSuffix(fmt.Sprintf("exit status %d: %s", exit, last), ": ")
}

// FailedTest is the top-level test that failed first, "" if none did.
func FailedTest(output string) string {
	if m := failedTest.FindStringSubmatch(output); m != nil {
		return m[1]
	}
	return ""
}

var failedTest = regexp.MustCompile(`(?m)^--- FAIL: ([^\s/]+)`)

// SameFailure reports whether two lines of FailureOf say the same: numbers vary.
func SameFailure(a, b string) bool {
	return numbers.ReplaceAllString(a, "#") == numbers.ReplaceAllString(b, "#")
}
