package projection

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/trace"
)

// outlived is a goroutine that used its test's t when the test had ended, for which
// package testing panics.
type outlived struct {
	test trace.GID
	last int // where the test waited last for something that the goroutine did; -1: it did not
	told int // what it waited for there, such as Done; -1 without last
	use  int // that failed
}

// afterEnd are the messages of package testing about a test that has ended.
var afterEnd = regexp.MustCompile(`^(?:panic: )?(?:Log|Fail) in goroutine after (\S+) has completed`)

// findOutlived looks for the test that had ended; ok is false for all other failures.
func (a *analysis) findOutlived() (o outlived, ok bool) {
	r := a.fail
	m := afterEnd.FindStringSubmatch(r.Outcome.Message)
	if m == nil || r.fail < 0 {
		return o, false
	}
	o = outlived{use: r.fail, last: -1, told: -1}
	tests := a.testsAbove(r.events[r.fail].G)
	n := strings.Count(m[1], "/")
	if n >= len(tests) {
		return o, false
	}
	o.test = tests[n]
	for _, x := range slices.Backward(r.byG[o.test]) {
		if x >= o.use || o.last >= 0 || len(a.userFrames(r.stack(x))) == 0 {
			continue
		}
		for _, told := range r.messages(x) {
			if r.events[told].G == r.events[o.use].G {
				o.last, o.told = x, told
			}
		}
	}
	return o, true
}

// testsAbove are the goroutines of tests above g, the outermost first: that of a
// function TestX, then those of subtests.
func (a *analysis) testsAbove(g trace.GID) (tests []trace.GID) {
	for g = a.fail.Goroutine(g).Parent; a.fail.Goroutine(g).Parent > 0; g = a.fail.Goroutine(g).Parent { // main runs all tests in a tRunner, too
		if slices.ContainsFunc(a.fail.byG[g], func(x int) bool {
			return slices.ContainsFunc(a.fail.stack(x), func(f trace.Frame) bool { return f.Func == "testing.tRunner" })
		}) {
			tests = append(tests, g)
		}
	}
	slices.Reverse(tests)
	return tests
}

// outlivedCause has what the test waited for last, and the use.
func (a *analysis) outlivedCause(set *rootSet, o outlived) {
	use := a.entry(o.use)
	if o.last >= 0 {
		told, last := a.entry(o.told), a.entry(o.last)
		told.failing, told.passing = "lets the test go on", "runs"
		last.failing, last.passing = "waited for that", "-"
		if a.usedInTime(use) {
			last.passing = "the test ends later"
		}
		set.add(told, last)
	} else if started := a.spawnOf(use.g); started >= 0 {
		set.add(a.entry(started))
	}
	use.failing, use.passing = "fails", "runs"
	set.add(use)
}

// usedInTime reports whether the passing run has the use, which did not fail there.
func (a *analysis) usedInTime(use entry) bool {
	return a.pass != nil && len(use.stack) > 0 && slices.ContainsFunc(a.pass.events, func(e trace.Event) bool {
		st := a.userFrames(a.pass.stackOf(e.Stack))
		return len(st) > 0 && st[0] == use.stack[0] && a.pass.Goroutines[e.G].Path == a.fail.Goroutines[use.g].Path
	})
}

// usesT is the call that used t, at its line.
func (a *analysis) usesT(use entry) string {
	if len(use.stack) > 0 {
		f := use.stack[0]
		for _, name := range []string{"Log", "Logf", "Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow", "Skip", "Skipf"} {
			if fun := a.fn(f).Call(f.Line, "testing.(*common)."+name).Fun; fun != "" {
				return "called `" + fun + "`"
			}
		}
	}
	return "used its `t`"
}

// outlivedWords tell that the test ended, and why it could.
func (a *analysis) outlivedWords(o outlived) (sentence, must string) {
	use := a.entry(o.use)
	test, who := "`"+a.fail.gname(o.test)+"`", a.who(use)
	did := a.usesT(use)
	if o.told >= 0 {
		told, last := a.entry(o.told), a.entry(o.last)
		sentence = fmt.Sprintf("%s %s (%s), for which %s waited (%s), and then %s %s (%s), when the test had ended.",
			who, a.did(told, a.object(told)), a.at(told, true), test, a.at(last, false), who, did, a.at(use, false))
		return sentence, fmt.Sprintf("What uses `t` (%s) must come before what %s waits for (%s).", a.at(use, false), test, a.at(told, false))
	}
	from := ""
	if started := a.spawnOf(use.g); started >= 0 {
		from = fmt.Sprintf(", started at %s,", a.at(a.entry(started), true))
	}
	sentence = fmt.Sprintf("%s%s %s (%s) when %s had ended, which had waited for nothing that %s does.", who, from, did, a.at(use, from == ""), test, who)
	return sentence, fmt.Sprintf("%s must wait for %s before it returns.", test, who)
}

// spawnOf is the event that started a goroutine, -1 if that is not the user's.
func (a *analysis) spawnOf(g trace.GID) int {
	for i := range a.fail.events {
		if e := &a.fail.events[i]; e.Op == trace.OpSpawn && trace.GID(e.Aux) == g && len(a.userFrames(a.fail.stack(i))) > 0 {
			return i
		}
	}
	return -1
}
