package verify

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// sampled is how many random runs under control are looked at, before and after.
const sampled = 12

// work is what passing runs did: the least and the most of each.
type work struct {
	runs          int
	spawns, sends [2]int
	fewest        int // goroutines that a run started that failed; -1: none failed
	// lines counts, by portable name and line, the runs that did something there; passed
	// those of them that passed.
	lines, passed map[string]map[int]int
	// via are the ways in which runs came to a line: the lines of the callers.
	via     map[line][][]line
	outputs map[string]bool
}

// workOf looks at random runs, and at one that follows the failing schedule as far as it can.
func (v *Verifier) workOf(ctx context.Context, p *version) (*work, error) {
	runner, err := p.control(ctx, v.Target)
	if err != nil {
		return nil, err
	}
	w := &work{fewest: -1, lines: map[string]map[int]int{}, passed: map[string]map[int]int{}, via: map[line][][]line{}, outputs: map[string]bool{}}
	specs := make([]run.Spec, sampled)
	for i := range specs {
		specs[i] = run.Spec{Strategy: run.Random, Seed: uint64(i + 1), Record: run.Every}
	}
	// What leads to the failure may come to lines that random runs seldom do.
	specs = append(specs, run.Spec{Strategy: run.Replay, Schedule: v.Schedule, Record: run.Every})
	results, err := run.RunEach(ctx, runner, specs)
	if err != nil {
		return nil, err
	}
	for i, r := range results {
		if r == nil || r.Trace == nil {
			continue
		}
		count(w.lines, v.places(r.Trace, false, w.via))
		if r.Failed() {
			if n, _ := started(r.Trace); w.fewest < 0 || n < w.fewest {
				w.fewest = n
			}
		}
		if i == sampled { // with the fix it may do what no run did that passed before
			continue
		}
		if r.Outcome.Kind == trace.Passed || r.Outcome.Kind == trace.Raced {
			w.add(r.Trace)
			w.outputs[withoutPlaces(r.Outcome.Output)] = true
			count(w.passed, v.places(r.Trace, true, nil))
		}
	}
	return w, nil
}

// line is a line of a file by its portable name.
type line struct {
	file string
	n    int
}

func count(into map[string]map[int]int, at map[line]bool) {
	for l := range at {
		if into[l.file] == nil {
			into[l.file] = map[int]int{}
		}
		into[l.file][l.n]++
	}
}

// started counts the goroutines that a run started and the messages that it sent. Only
// what the program's own code does counts.
func started(t *trace.Trace) (spawns, sends int) {
	for _, e := range t.Events {
		if _, ok := t.UserFrame(e.Stack); !ok {
			continue
		}
		switch e.Op {
		case trace.OpSpawn:
			spawns++
		case trace.OpSend:
			sends++
		case trace.OpSelect:
			if e.Obj != 0 && e.Aux>>32&1 == 1 {
				sends++ // the chosen case is one
			}
		}
	}
	return spawns, sends
}

// add counts what a run did.
func (w *work) add(t *trace.Trace) {
	spawns, sends := started(t)
	for i, n := range []int{spawns, sends} {
		at := []*[2]int{&w.spawns, &w.sends}[i]
		if w.runs == 0 || n < at[0] {
			at[0] = n
		}
		at[1] = max(at[1], n)
	}
	w.runs++
}

// places are the lines at which a run had operations and accesses, callers included;
// without those that only lock or unlock, if so asked: a fix may change these. The callers
// of each are entered into via, unless that is nil.
func (v *Verifier) places(t *trace.Trace, noLocks bool, via map[line][][]line) map[line]bool {
	at := map[line]bool{}
	done := map[trace.StackID]bool{}
	for _, e := range t.Events {
		if done[e.Stack] || noLocks && isLock(e.Op) {
			continue
		}
		done[e.Stack] = true
		var stack []line // innermost first
		for _, f := range t.UserFrames(e.Stack) {
			stack = append(stack, line{v.Roots.Name(f.File), f.Line})
		}
		for i, l := range stack {
			at[l] = true
			if way := stack[i+1:]; via != nil && !slices.ContainsFunc(via[l], func(w []line) bool { return slices.Equal(w, way) }) {
				via[l] = append(via[l], way)
			}
		}
	}
	return at
}

func isLock(op trace.Op) bool {
	switch op {
	case trace.OpLock, trace.OpUnlock, trace.OpRLock, trace.OpRUnlock, trace.OpTryLock, trace.OpTryRLock, trace.OpStart, trace.OpEnd:
		return true
	}
	return false
}

// less says what passing runs do less than before, "" for nothing. That messages are not
// sent any more is told if the sender has another way to go on, which waits for somebody
// to end, and else rejected. That fewer goroutines are started in some runs is told if a
// run that failed before started no more.
func (c *check) less(before, after *work) string {
	if before.runs == 0 || after.runs == 0 {
		return ""
	}
	if before.spawns[0] == before.spawns[1] && after.spawns[0] < before.spawns[0] {
		why := fmt.Sprintf("%d goroutines are started, %d before", after.spawns[0], before.spawns[0])
		// A way on which fewer are started may be one on which every run failed before.
		if before.fewest < 0 || before.fewest > after.spawns[0] || after.spawns[1] < before.spawns[1] {
			return why
		}
		c.tell("in some runs " + why + ", in runs that passed")
	}
	if before.sends[0] == before.sends[1] && after.sends[0] < before.sends[0] {
		why := fmt.Sprintf("in some runs %d messages are sent, %d before", after.sends[0], before.sends[0])
		if c.drops() {
			return why
		}
		c.tell(why)
	}
	return ""
}

// seldom says what passing runs do less than before at most, where that was not always the
// same; "" for nothing.
func seldom(before, after *work) string {
	if before.runs == 0 || after.runs == 0 {
		return ""
	}
	if after.spawns[1] < before.spawns[0] {
		return fmt.Sprintf("at most %d goroutines are started, at least %d before", after.spawns[1], before.spawns[0])
	}
	if after.sends[1] < before.sends[0] {
		return fmt.Sprintf("at most %d messages are sent, at least %d before", after.sends[1], before.sends[0])
	}
	return ""
}

var digits = regexp.MustCompile(`(0x)?[0-9a-f]*[0-9][0-9a-f]*`)

// withoutPlaces is what a program printed, without the numbers of lines that name places:
// an edit moves them.
func withoutPlaces(output string) string {
	lines := strings.Split(output, "\n")
	for i, l := range lines {
		if strings.Contains(l, ".go:") || strings.Contains(l, "0x") {
			lines[i] = digits.ReplaceAllString(l, "#")
		}
	}
	return strings.Join(lines, "\n")
}
