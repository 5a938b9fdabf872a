package projection

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/cause"
	"github.com/hocket-dev/hocket/engine/trace"
)

// maxTold bounds the events that a sentence tells one after the other.
const maxTold = 7

// story tells the events of a core of several units in their order, "" where one unit
// says it all, or where they are too many for a sentence.
func (a *analysis) story() string {
	if !a.in.Cause.Explains() || !a.several {
		return ""
	}
	list := a.withoutUndone(a.told())
	if len(list) < 3 || list[0].late {
		return ""
	}
	return a.tell(list, true)
}

// withoutUndone leaves out, at the end, what the goroutine that failed did not come to any
// more: that goes without saying, if enough is left to tell.
func (a *analysis) withoutUndone(list []entry) []entry {
	for n := len(list); n > 3 && list[n-1].late && a.fail.fail >= 0 && list[n-1].g == a.fail.events[a.fail.fail].G; n-- {
		list = list[:n-1]
	}
	return list
}

// tell is a sentence of steps, one after the other; begins says that no place was told
// before it.
func (a *analysis) tell(list []entry, begins bool) string {
	var b strings.Builder
	yet := false // what the goroutine of the step before was still to do
	for i, e := range list {
		first := i == 0 || list[i-1].g != e.g
		yet = e.late && i > 0 && a.who(list[i-1]) == a.who(e) && (yet || !list[i-1].late)
		switch {
		case yet:
			b.WriteString(" and had yet to")
		case e.late && i > 0 && !list[i-1].late:
			b.WriteString(", before " + a.who(e))
		case e.late:
			b.WriteString(" and " + a.who(e))
		case i == 0:
			b.WriteString(a.who(e))
		case first:
			b.WriteString("; " + a.who(e))
			if !e.fails(a) {
				b.WriteString(" then")
			}
		case i+1 < len(list) && list[i+1].g == e.g && !list[i+1].late:
			b.WriteString(",")
		default:
			b.WriteString(" and")
		}
		object := a.object(e)
		if i > 0 {
			object = a.again(list[i-1], e)
		}
		what := a.did(e, object)
		if e.fails(a) {
			what = "tried to " + a.failedDoing() + " " + object
		}
		if yet {
			what = toDo(what)
		}
		fmt.Fprintf(&b, " %s (%s)", what, a.at(e, i == 0 && begins))
	}
	return b.String() + "."
}

// cameThere tells the orders of the core that are not about what a cycle waits for: they
// decided that its goroutines came there.
func (a *analysis) cameThere(set *rootSet) string {
	if !a.in.Cause.Explains() {
		return ""
	}
	guards := &rootSet{a: a, limit: maxTold}
	for _, l := range a.in.Cause.Core {
		if !a.isOrder(l) || !a.guards(l.Before) || !a.guards(l.After) {
			continue
		}
		x, y := a.entry(a.whole(l.Before)), a.entry(a.whole(l.After))
		if len(x.stack) > 0 && len(y.stack) > 0 && !a.inStd(x) && !a.inStd(y) && set.add(x, y) {
			guards.add(x, y)
		}
	}
	if len(guards.list) < 2 {
		return ""
	}
	return a.tell(guards.sorted(), false)
}

// guards reports whether an event can decide a condition.
func (a *analysis) guards(ev int) bool {
	op := a.fail.events[ev].Op
	return op.IsMemory() && op != trace.OpAtomicRMW || isChanOp(op) && op != trace.OpSelectCase
}

// toDo is what was done as what is still to be done: "wrote it" as "write it".
func toDo(did string) string {
	did = strings.TrimPrefix(did, "could not ")
	verb, rest, _ := strings.Cut(did, " ")
	if to, ok := infinitives[verb]; ok {
		verb = to
	} else if stem, ok := strings.CutSuffix(verb, "ed"); ok {
		verb = stem
	}
	return strings.TrimSpace(verb + " " + rest)
}

// infinitives of the verbs of did that are not made by leaving out "ed".
var infinitives = map[string]string{"wrote": "write", "sent": "send", "took": "take", "closed": "close", "received": "receive",
	"swapped": "swap", "signalled": "signal", "dialed": "dial", "slept": "sleep", "panicked": "panic", "changed": "change", "saw": "see"}

// decided tells, for waits that nothing explains, the events of the core that lead
// there. Those that the sentence has told are not told again.
func (a *analysis) decided(set *rootSet) string {
	if !a.in.Cause.Explains() {
		return ""
	}
	core := &rootSet{a: a, limit: maxTold}
	a.addLiterals(core)
	list := core.sorted()
	if len(list) < 2 || list[0].late || !slices.ContainsFunc(list, func(e entry) bool { return !set.has(e) }) {
		return ""
	}
	set.add(list...)
	for _, u := range a.coreUnits() {
		if u.shape == torn && a.stuck.must == "" && !a.asksOfTests(u) {
			_, a.stuck.must, _ = a.splitWords(u)
		}
	}
	return a.tell(list, false)
}

// fails is true of the operation in which the run failed.
func (e entry) fails(a *analysis) bool { return !e.late && e.ev == a.fail.fail }

func (a *analysis) failedDoing() string {
	if strings.Contains(a.fail.Outcome.Message, "send on") {
		return "send on"
	}
	return "close"
}

// told are the steps that the story tells: those of the literals, as many of those
// nearest to the failure as fit, and the operation that failed.
func (a *analysis) told() []entry {
	set := &rootSet{a: a, limit: maxTold}
	if u := a.chosen[0]; u.shape == misuse || u.shape == torn {
		set.add(a.members(a.chosen[0])...)
	}
	a.addLiterals(set)
	return set.sorted()
}

// addLiterals adds the events of the core, those nearest to the failure first.
func (a *analysis) addLiterals(set *rootSet) {
	core := slices.Clone(a.in.Cause.Core)
	last := func(l cause.Literal) int {
		if l.Late {
			return l.Before
		}
		return max(l.Before, l.After)
	}
	slices.SortStableFunc(core, func(x, y cause.Literal) int { return last(y) - last(x) })
	for _, l := range core {
		var es []entry
		if l.Before != cause.None {
			es = append(es, a.entry(a.whole(l.Before)))
		}
		if !l.Late && l.After < len(a.fail.Events) && l.After != a.fail.fail {
			es = append(es, a.entry(a.whole(l.After)))
		}
		if l.Late {
			if u, ok := a.lateUnit(l); ok && u.late >= 0 {
				es = append(es, a.lateEntry(u.late))
			}
		}
		set.add(es...)
	}
}
