package trace

import "fmt"

// Violation is a broken invariant of a trace.
type Violation struct {
	Seq   int // of the event that violates the rule
	Event Event
	Rule  string // "lock", "channel", ...
	What  string
}

func (v *Violation) Error() string {
	return fmt.Sprintf("event %d (goroutine %d, %v): %s rule: %s", v.Seq, v.Event.G, v.Event.Op, v.Rule, v.What)
}

// rule checks one invariant, event by event in order. It returns a description
// of the violation, or "".
type rule interface {
	step(i int, e Event) string
}

// Check checks the invariants in the package comment for a trace: a trace that
// violates one was recorded or decoded incorrectly, or the controlled runtime
// let two goroutines run at once. It returns the first *Violation.
//
// Objects on goroutine stacks and, when allocations were lost, all heap objects
// may stand for several things one after the other; only rules about
// goroutines apply to them.
func Check(t *Trace) error {
	if err := checkShape(t); err != nil {
		return err
	}
	rules := []struct {
		name    string
		trusted bool // needs objects that are certain to be one thing
		rule    rule
	}{
		{"goroutine", false, newLifeRule(t)},
		{"blocking", false, newBlockRule()},
		{"lock", true, &lockRule{states: map[ObjID]*holding{}}},
		{"waitgroup", true, newWaitGroupRule(t)},
		{"channel", false, newChannelRule(t)},
		{"memory", false, newMemoryRule(t)},
		{"atomic", true, &atomicRule{vals: map[ObjID]known{}}},
	}
	for i, e := range t.Events {
		for _, r := range rules {
			if r.trusted && !t.trusted(e.Obj) {
				continue
			}
			if what := r.rule.step(i, e); what != "" {
				return &Violation{Seq: i, Event: e, Rule: r.name, What: what}
			}
		}
	}
	return nil
}

// trusted reports whether an object is certain to be one thing throughout the
// run.
func (t *Trace) trusted(id ObjID) bool {
	switch o := t.Object(id); {
	case id == 0:
		return false
	case o.Kind == ObjGlobal:
		return true
	default:
		return o.Kind != ObjUnknown && !t.AllocsLost && o.Alloc != 0
	}
}

// checkShape checks that all references are valid.
func checkShape(t *Trace) error {
	for i, e := range t.Events {
		what := ""
		switch {
		case e.Seq != i:
			what = fmt.Sprintf("its number is %d", e.Seq)
		case e.Op == OpNone || e.Op >= NumOps:
			what = "no such operation"
		case int64(e.G) >= int64(len(t.Goroutines)):
			what = "no such goroutine"
		case int64(e.Obj) >= int64(len(t.Objects)) && e.Obj != 0:
			what = "no such object"
		case int64(e.Stack) >= int64(len(t.Stacks)) && e.Stack != 0:
			what = "no such stack"
		}
		if what != "" {
			return &Violation{Seq: i, Event: e, Rule: "shape", What: what}
		}
	}
	return nil
}

// lifeRule: a goroutine starts after its go statement and does nothing after
// its end.
type lifeRule struct {
	t       *Trace
	spawned map[GID]int
	started map[GID]bool
	ended   map[GID]int
}

func newLifeRule(t *Trace) *lifeRule {
	return &lifeRule{t: t, spawned: map[GID]int{}, started: map[GID]bool{}, ended: map[GID]int{}}
}

func (r *lifeRule) step(i int, e Event) string {
	if e.G == 0 {
		return ""
	}
	if at, ok := r.ended[e.G]; ok {
		return fmt.Sprintf("goroutine %d ended at event %d", e.G, at)
	}
	if !r.started[e.G] {
		r.started[e.G] = true
		// The runtime's goroutines have no go statement of their own, nor have
		// those that a timer starts.
		if _, ok := r.spawned[e.G]; !ok && r.t.Goroutine(e.G).Parent != 0 && !r.t.Goroutine(e.G).ByTimer() {
			return fmt.Sprintf("goroutine %d was not started yet", e.G)
		}
		if e.Op != OpStart && e.G != 1 {
			return fmt.Sprintf("the first event of goroutine %d is not its start", e.G)
		}
	} else if e.Op == OpStart {
		return fmt.Sprintf("goroutine %d starts again", e.G)
	}
	switch e.Op {
	case OpSpawn:
		child := GID(e.Aux)
		if at, ok := r.spawned[child]; ok {
			return fmt.Sprintf("goroutine %d was started at event %d already", child, at)
		}
		if r.started[child] {
			return fmt.Sprintf("goroutine %d ran before its go statement", child)
		}
		r.spawned[child] = i
	case OpEnd:
		r.ended[e.G] = i
	}
	return ""
}

// blockRule: a blocked goroutine does nothing until it is woken, and only
// blocked ones are woken.
type blockRule struct {
	blocked map[GID]int
}

func newBlockRule() *blockRule { return &blockRule{blocked: map[GID]int{}} }

func (r *blockRule) step(i int, e Event) string {
	if at, ok := r.blocked[e.G]; ok && e.G != 0 {
		return fmt.Sprintf("goroutine %d has been blocked since event %d", e.G, at)
	}
	switch e.Op {
	case OpBlock:
		r.blocked[e.G] = i
	case OpUnblock:
		woken := GID(e.Aux)
		if _, ok := r.blocked[woken]; !ok {
			return fmt.Sprintf("goroutine %d is woken but was not blocked", woken)
		}
		delete(r.blocked, woken)
	}
	return ""
}
