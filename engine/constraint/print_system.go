package constraint

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Label names an event as people read it: "T2#7 lock mu". T2 is the thread, 7
// the EventID.
func (s *System) Label(e EventID) string {
	switch {
	case e == s.End():
		return "END"
	case e == NoEvent:
		return "init"
	case e < 0 || e > s.End():
		return fmt.Sprintf("#%d", e)
	}
	ev := &s.Events[e]
	name := fmt.Sprintf("T%d#%d %s", ev.Thread, e, ev.Op)
	switch ev.Op {
	case Default:
		return name + s.caseNames(ev)
	case Spawn:
		return fmt.Sprintf("%s T%d", name, ev.Child)
	}
	if ev.Op.hasObject() {
		name += " " + s.objectName(ev.Obj)
	}
	switch {
	case ev.Op == Add:
		return fmt.Sprintf("%s %+d", name, ev.Delta)
	case ev.Op == TryLock || ev.Op == TryRLock:
		return name + [2]string{" failed", ""}[ev.Outcome&1]
	case ev.Op == Recv && ev.Outcome == Closed:
		return name + " closed"
	}
	return name
}

func (s *System) caseNames(ev *Event) string {
	out := " of"
	for _, c := range ev.Cases {
		op := Recv
		if c.Send {
			op = Send
		}
		out += fmt.Sprintf(" %s %s", op, s.objectName(c.Obj))
	}
	return out
}

func (s *System) objectName(o ObjID) string {
	if o >= 0 && int(o) < len(s.Objects) && s.Objects[o].Name != "" {
		return s.Objects[o].Name
	}
	return fmt.Sprintf("obj%d", o)
}

// literal and clause with names of events.
func (s *System) literal(l Lit) string {
	switch {
	case l.From && l.Neg:
		return fmt.Sprintf("(%s) ≠ rf(%s)", s.Label(l.A), s.Label(l.B))
	case l.From:
		return fmt.Sprintf("(%s) = rf(%s)", s.Label(l.A), s.Label(l.B))
	case l.Neg:
		return fmt.Sprintf("(%s) < (%s)", s.Label(l.B), s.Label(l.A))
	}
	return fmt.Sprintf("(%s) < (%s)", s.Label(l.A), s.Label(l.B))
}

// Clause writes a clause with the names of events; the empty one is ⊥.
func (s *System) Clause(c Clause) string {
	if len(c) == 0 {
		return "⊥"
	}
	parts := make([]string, len(c))
	for i, l := range c {
		parts[i] = s.literal(l)
	}
	return strings.Join(parts, " ∨ ")
}

// String writes a literal with event numbers: 3<5, 3=rf(5).
func (l Lit) String() string {
	switch {
	case l.From && l.Neg:
		return fmt.Sprintf("%d≠rf(%d)", l.A, l.B)
	case l.From:
		return fmt.Sprintf("%d=rf(%d)", l.A, l.B)
	case l.Neg:
		return fmt.Sprintf("%d<%d", l.B, l.A)
	}
	return fmt.Sprintf("%d<%d", l.A, l.B)
}

func (c Clause) String() string {
	if len(c) == 0 {
		return "⊥"
	}
	parts := make([]string, len(c))
	for i, l := range c {
		parts[i] = l.String()
	}
	return strings.Join(parts, " ∨ ")
}

// String is the whole system; see Print.
func (s *System) String() string {
	var b strings.Builder
	s.Print(&b) // a Builder does not fail
	return b.String()
}

// Print writes the families of Φ one after another as the papers have them
// (CLAP §3; Cortex §2.3): what there is, Φ_mo, Φ_sync, Φ_rw, Φ_path. A relation
// is meant for events that happen.
func (s *System) Print(w io.Writer) error {
	b := bufio.NewWriter(w)
	s.printObjects(b)
	x := newIndex(s)
	fmt.Fprintln(b, "Φ_mo:")
	x.printOrder(b)
	fmt.Fprintln(b, "Φ_sync:")
	for o := 1; o < len(s.Objects); o++ {
		if s.Objects[o].Kind != Location {
			x.printObject(b, ObjID(o))
		}
	}
	fmt.Fprintln(b, "Φ_rw:")
	for o := 1; o < len(s.Objects); o++ {
		if s.Objects[o].Kind == Location {
			x.printMemory(b, ObjID(o))
		}
	}
	fmt.Fprintln(b, "Φ_path:")
	for e := range s.Events {
		for _, c := range s.Events[e].Cond {
			fmt.Fprintf(b, "  %s: %v\n", s.Label(EventID(e)), c)
		}
	}
	return b.Flush()
}

func (s *System) printObjects(b io.Writer) {
	fmt.Fprintf(b, "%d events of %d threads\n", len(s.Events), len(s.Threads))
	for t := range s.Threads {
		open := ""
		if s.Threads[t].Open {
			open = ", open"
		}
		fmt.Fprintf(b, "  T%d %s%s\n", t, s.Threads[t].Name, open)
	}
	for o := 1; o < len(s.Objects); o++ {
		obj := &s.Objects[o]
		fmt.Fprintf(b, "  %v %s", obj.Kind, s.objectName(ObjID(o)))
		switch {
		case obj.Nil:
			fmt.Fprint(b, " = nil")
		case obj.Kind == Channel:
			fmt.Fprintf(b, " of capacity %d", obj.Cap)
		case obj.Kind == Location:
			fmt.Fprintf(b, " = %v", obj.Init)
		}
		fmt.Fprintln(b)
	}
}

// printOrder writes each path of a thread as a chain and where paths part.
func (x *index) printOrder(b io.Writer) {
	for t, roots := range x.roots {
		for _, s := range x.spawns[t] {
			for _, r := range roots {
				fmt.Fprintf(b, "  %s < %s\n", x.s.Label(s), x.s.Label(r))
			}
		}
		x.printBranch(b, roots)
	}
}

// printBranch writes alternatives and the chains that follow them.
func (x *index) printBranch(b io.Writer, first []EventID) {
	todo := [][]EventID{first}
	for len(todo) > 0 {
		alts := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if len(alts) > 1 {
			fmt.Fprintf(b, "  at most one of %s\n", x.labels(alts))
		}
		for _, e := range alts {
			chain := []EventID{e}
			for len(x.kids[e]) == 1 {
				e = x.kids[e][0]
				chain = append(chain, e)
			}
			for i := 1; i < len(chain); i++ {
				fmt.Fprintf(b, "  %s < %s\n", x.s.Label(chain[i-1]), x.s.Label(chain[i]))
			}
			for _, k := range x.kids[e] {
				fmt.Fprintf(b, "  %s < %s\n", x.s.Label(e), x.s.Label(k))
			}
			if len(x.kids[e]) > 1 {
				todo = append(todo, x.kids[e])
			}
		}
	}
}

func (x *index) labels(events []EventID) string {
	parts := make([]string, len(events))
	for i, e := range events {
		parts[i] = x.s.Label(e)
	}
	return strings.Join(parts, ", ")
}

// printMemory writes what reads may take from what writes.
func (x *index) printMemory(b io.Writer, o ObjID) {
	var writes []EventID
	for _, e := range x.ofObj[o] {
		if x.s.Events[e].Op != Read {
			writes = append(writes, e)
			fmt.Fprintf(b, "  %s := %v\n", x.s.Label(e), x.s.Events[e].Val)
		}
	}
	for _, e := range x.ofObj[o] {
		if x.s.Events[e].Op != Write {
			fmt.Fprintf(b, "  v(%d) = %s after the last of {%s} before %s\n",
				e, x.s.objectName(o), x.labels(writes), x.s.Label(e))
		}
	}
}

// printObject writes the demands on one synchronisation object.
func (x *index) printObject(b io.Writer, o ObjID) {
	for _, e := range x.ofObj[o] {
		fmt.Fprintf(b, "  %s: %s\n", x.s.Label(e), x.demand(e, o))
	}
}

// demand is the rule of an operation; Σ is over the events before it.
func (x *index) demand(e EventID, o ObjID) string {
	ev, obj := &x.s.Events[e], &x.s.Objects[o]
	const writers, readers = "Σ(lock) - Σ(unlock)", "Σ(rlock) - Σ(runlock)"
	switch ev.Op {
	case Lock:
		return writers + " + " + readers + " = 0"
	case RLock:
		return writers + " = 0"
	case TryLock:
		return writers + " + " + readers + [2]string{" > 0", " = 0"}[ev.Outcome]
	case TryRLock:
		return writers + [2]string{" > 0", " = 0"}[ev.Outcome]
	case Unlock:
		return writers + " > 0"
	case RUnlock:
		return readers + " > 0"
	case Add:
		return "Σ(add) >= 0 with it"
	case Wait:
		return "Σ(add) = 0"
	case CondWait:
		return "takes the next ticket"
	case CondWake:
		return fmt.Sprintf("the ticket of %s has been called", x.s.Label(ev.Partner))
	case Signal:
		return "calls the next ticket"
	case Broadcast:
		return "calls all tickets"
	}
	return x.demandChannel(ev, obj)
}

func (x *index) demandChannel(ev *Event, obj *Object) string {
	const items = "Σ(send) - Σ(recv)"
	switch {
	case ev.Op == Default:
		return "no case can go on"
	case obj.Nil:
		return "⊥"
	case ev.Op == Recv && ev.Outcome == Closed:
		return "a close before, " + items + " = 0"
	case ev.Op == Recv:
		return fmt.Sprintf("takes from the send of the same place, %s > 0", items)
	case ev.Op == Close:
		return "no close before"
	case obj.Cap == 0:
		return fmt.Sprintf("gives %v; its recv follows at once; no close before", ev.Val)
	}
	return fmt.Sprintf("gives %v; %s < %d; no close before", ev.Val, items, obj.Cap)
}

// String is the goal with event numbers.
func (g Goal) String() string {
	var parts []string
	list := func(what string, events []EventID) {
		if len(events) > 0 {
			parts = append(parts, fmt.Sprintf("%s %v", what, events))
		}
	}
	list("happen", g.Include)
	list("stop before", g.Stop)
	list("blocked at", g.Blocked)
	for _, d := range g.Order {
		parts = append(parts, fmt.Sprintf("%d < %d", d.Before, d.After))
	}
	for _, c := range g.Cond {
		parts = append(parts, c.String())
	}
	if g.Stuck {
		parts = append(parts, "all stuck")
	}
	if len(parts) == 0 {
		parts = []string{"anything"}
	}
	out := strings.Join(parts, ", ")
	if g.Name != "" {
		out = g.Name + ": " + out
	}
	return out
}
