package session

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/hunt"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/internal/process"
)

// Limits of the plain runs of tests that fail under every schedule.
var (
	plainTime = 10 * time.Second // of one go test
	plainAll  = 20 * time.Second
)

const plainMost = 5 // tests that are run alone

// tryPlainly runs the tests that fail under every schedule as go test does, each
// once with all tests of its package and once alone, and says what it saw: some
// fail alone only.
func (s *session) tryPlainly(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, plainAll)
	defer cancel()
	together := map[string]map[string]string{} // by package, the results by test
	alone := 0
	for _, j := range s.jobs {
		if j.Main || s.status(j) != report.FailsAlways || alone == plainMost || ctx.Err() != nil {
			continue
		}
		alone++
		s.Progress(func(u *progress.Update) { u.Phase, u.Target = progress.Confirming, j.Name() })
		if together[j.Dir] == nil {
			together[j.Dir] = s.goTest(ctx, j, "")
		}
		if note := plainResult(together[j.Dir][j.Entry], s.goTest(ctx, j, j.Entry)[j.Entry], j.Entry); note != "" {
			s.Target(j, func(t *report.Target) { t.Note = note })
		}
	}
}

func (s *session) status(j *hunt.Job) report.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rep.Targets[s.line[j]].Status
}

// plainResult says what plain runs of a test showed that fails under every
// schedule. The results are "pass", "fail", or "" if there is none.
func plainResult(together, alone, entry string) string {
	command := "go test -run '" + runPattern(entry) + "'"
	switch {
	case alone == "pass":
		return "a plain run of it passed (" + command + "): it may fail under Hocket's control only"
	case alone == "fail" && together == "pass":
		return "it failed alone, as with " + command + ", and passed in a run of all tests of the package: it seems to need tests that run before it"
	case alone == "fail":
		return command + " failed, too"
	}
	return ""
}

func runPattern(entry string) string {
	parts := strings.Split(entry, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// goTest runs one test of the job's package, or all, and returns the results by
// name. Nothing of hocket's is in the program.
func (s *session) goTest(ctx context.Context, j *hunt.Job, entry string) map[string]string {
	ctx, cancel := context.WithTimeout(ctx, plainTime)
	defer cancel()
	t := build.Target(s.env, j.Target, j.Flags)
	args := slices.Concat([]string{"test", "-json", "-count=1", "-vet=off"}, t.Flags, t.Overlay.Flags())
	if j.Flags.Short {
		args = append(args, "-short")
	}
	if entry != "" {
		args = append(args, "-run="+runPattern(entry))
	}
	args = append(args, ".")
	if len(j.Args) > 0 {
		args = append(append(args, "-args"), j.Args...)
	}
	cmd := process.Go(ctx, "go", args...)
	cmd.Dir, cmd.Env = t.Dir, t.Environ()
	out, _ := process.Output(ctx, cmd) // it fails where a test does
	return testResults(out)
}

// testResults reads the output of go test -json.
func testResults(out []byte) map[string]string {
	results := map[string]string{}
	for line := range bytes.Lines(out) {
		var e struct{ Action, Test string }
		if json.Unmarshal(line, &e) == nil && e.Test != "" && (e.Action == "pass" || e.Action == "fail") {
			results[e.Test] = e.Action
		}
	}
	return results
}
