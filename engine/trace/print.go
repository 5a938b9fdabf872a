package trace

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
	"time"
)

// Print writes a trace as text: how it ended, its goroutines, and one event a
// line with its number, goroutine, operation, object, value and place.
func Print(w io.Writer, t *Trace) error {
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	p := &printer{t: t, w: tw}
	p.outcome()
	p.goroutines()
	p.races()
	p.events()
	return tw.Flush()
}

type printer struct {
	t *Trace
	w io.Writer
}

func (p *printer) line(format string, args ...any) {
	fmt.Fprintf(p.w, format+"\n", args...)
}

func (p *printer) outcome() {
	o := p.t.Outcome
	p.line("outcome: %s", strings.TrimSuffix(fmt.Sprintf("%s: %s", o.Kind, o.Message), ": "))
	if o.Goroutine != 0 || o.Stack != 0 {
		p.line("failed: %s in %s", p.t.Goroutine(o.Goroutine).Display, p.t.placeText(o.Stack))
	}
	for _, b := range o.Blocked {
		p.line("blocked: %s", p.blocked(b))
	}
	p.line("steps: %d, virtual time: %v, hash: %016x", p.t.Steps, time.Duration(p.t.VirtualNS), p.t.Hash)
	if p.t.Truncated {
		p.line("later events are missing")
	}
}

func (p *printer) blocked(b Blocked) string {
	s := fmt.Sprintf("%s: %v", p.t.Goroutine(b.G).Display, b.Op)
	if b.Obj != 0 {
		s += " " + p.t.Object(b.Obj).Var
	}
	if b.Reason != "" {
		s += " (" + b.Reason + ")"
	}
	if b.Holder != 0 {
		s += ", held by " + p.t.Goroutine(b.Holder).Display
	}
	if b.Leaked {
		s += ", for ever"
	}
	return s + " in " + p.t.placeText(b.Stack)
}

func (p *printer) goroutines() {
	p.line("")
	for i := 1; i < len(p.t.Goroutines); i++ {
		g := p.t.Goroutines[i]
		p.line("goroutine\t%s\t%s\t%s\tfrom %s", g.Path, g.Display, orElse(g.Func, "?"), p.t.placeText(g.Spawn))
	}
}

func (p *printer) races() {
	for _, r := range p.t.Races {
		p.line("race\t%s\t%s\t%s", p.t.Object(r.Obj).Var, p.access(r.First), p.access(r.Second))
	}
}

func (p *printer) access(a Access) string {
	return fmt.Sprintf("%s by %s in %s", choose(a.Write, "write", "read"), p.t.Goroutine(a.G).Display, p.t.placeText(a.Stack))
}

func (p *printer) events() {
	p.line("")
	for _, e := range p.t.Events {
		p.line("%s", p.t.EventLine(e))
	}
}

// EventLine shows one event; fields are separated by tabs.
func (t *Trace) EventLine(e Event) string {
	return strings.Join([]string{
		fmt.Sprintf("%5d", e.Seq),
		t.Goroutine(e.G).Display,
		e.Op.String(),
		t.subject(e),
		t.placeText(e.Stack),
	}, "\t")
}

// subject returns the object of an event, with its value.
func (t *Trace) subject(e Event) string {
	switch e.Op {
	case OpSpawn, OpUnblock:
		return t.Goroutine(GID(min(e.Aux, math.MaxUint32))).Display
	case OpSleep:
		return time.Duration(e.Value).String()
	}
	name := ""
	if e.Obj != 0 {
		name = t.Object(e.Obj).Var
	}
	if e.Op == OpBlock && e.Aux < uint64(NumOps) && e.Aux != 0 {
		return strings.TrimSpace(fmt.Sprintf("%v %s", Op(e.Aux), name))
	}
	if v := t.FormatValue(e); v != "" {
		return strings.TrimSpace(name + " = " + v)
	}
	return name
}

// placeText is "m.(*cell).run cell.go:12", or "?" for an unknown place.
func (t *Trace) placeText(id StackID) string {
	f, where := t.placeOf(id)
	return orElse(strings.TrimSpace(ShortFunc(f.Func)+" "+where), "?")
}

// PrintSchedule writes a schedule as text, with the names of the trace's
// goroutines; t may be nil.
func PrintSchedule(w io.Writer, s Schedule, t *Trace) error {
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	names := map[uint64]string{}
	if t != nil {
		for _, g := range t.Goroutines[min(1, len(t.Goroutines)):] {
			names[g.Key] = g.Display
		}
	}
	fmt.Fprintf(tw, "seeds: select %d, input %d; clock step %v, delay %v; procs %d\n", s.SelectSeed, s.InputSeed, time.Duration(s.ClockStep), time.Duration(s.Delay), s.Procs)
	for _, hot := range s.Hot {
		fmt.Fprintf(tw, "switches at\t%s\n", hot)
	}
	name := func(key uint64) string {
		if n, ok := names[key]; ok {
			return n
		}
		return fmt.Sprintf("goroutine %016x", key)
	}
	for _, o := range s.Choices {
		fmt.Fprintf(tw, "select\t%s\tat step %d: case %d\n", name(o.G), o.Count, o.Case)
	}
	for i, g := range s.Segments {
		if g.Timer {
			fmt.Fprintf(tw, "%4d\ttimer %016x\tthe clock passes to it, by %v\n", i, g.G, time.Duration(g.Until)*time.Microsecond)
			continue
		}
		until := fmt.Sprintf("until step %d", g.Until)
		if g.Until == math.MaxUint32 {
			until = "until it blocks or ends"
		}
		if g.Await {
			until += ", time passes"
		}
		fmt.Fprintf(tw, "%4d\t%s\t%s\n", i, name(g.G), until)
	}
	return tw.Flush()
}
