package play

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hocket-dev/hocket/engine/record"
)

var (
	panicLine = regexp.MustCompile(`(?m)^(panic: .*|fatal error: .*|SIG[A-Z]+: .*)$`)
	// stackLine is the first of a goroutine's stack, after what the runtime says of a crash.
	stackLine = regexp.MustCompile(`(?m)^(goroutine \d+ .*\[.*\]|runtime stack):$`)
	// failLine is what a test logged before it failed: its lines are indented.
	failLine = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+).*\n((?:[ \t]+.*\n?)*)`)
	logLine  = regexp.MustCompile(`(?m)^\s+(\S+\.go:\d+: .*)$`)
	// recovered is what the runtime adds where a deferred call has panicked again.
	recovered = regexp.MustCompile(` \[recovered[^\]]*\]$`)
	numbers   = regexp.MustCompile(`0x[0-9a-fA-F]+|\d+`)
)

// DoesNotEnd is the failure of a run that took too long, as package report has it.
const DoesNotEnd = "did not end within the limit of a run"

// crashCode is the exit code of a Go program that panicked or had a fatal error.
const crashCode = 2

// FailureOf is the line that says why a process failed, "" if it did not: a panic or
// a fatal error, what a failed test said, or the exit code. logs reports whether the
// statement at a place, "a_test.go:12", only logs: what it says is no failure.
func FailureOf(output string, exit int, outcome record.Outcome, logs func(place string) bool) string {
	if outcome == record.Passed {
		return ""
	}
	if outcome == record.Timeout {
		return DoesNotEnd
	}
	if exit == crashCode || outcome == record.Killed {
		if m := crash(output, exit); m != "" {
			return recovered.ReplaceAllString(m, "")
		}
	}
	if m := failLine.FindStringSubmatch(output); m != nil {
		if l := said(m[2], logs); l != nil {
			return l[0]
		}
		// testing prints what was logged before that line where -v is given.
		if l := said(output, logs); l != nil {
			return l[len(l)-1]
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

// crash is the line of the runtime that says why the program ended, "" if there is
// none: the last one before the first stack. Programs print such lines, too.
func crash(output string, exit int) string {
	for _, at := range stackLine.FindAllStringIndex(output, -1) {
		if l := panicLine.FindAllString(output[:at[0]], -1); l != nil {
			return l[len(l)-1]
		}
	}
	// Without stacks (GOTRACEBACK=none) it is the last one.
	if l := panicLine.FindAllString(output, -1); l != nil && exit == crashCode {
		return l[len(l)-1]
	}
	return ""
}

// said is what tests logged in a part of the output, but for statements that only log.
func said(output string, logs func(place string) bool) []string {
	var out []string
	for _, l := range logLine.FindAllStringSubmatch(output, -1) {
		place, _, _ := strings.Cut(l[1], ": ")
		if !logs(place) {
			out = append(out, l[1])
		}
	}
	return out
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
