package projection

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hocket-dev/hocket/engine/trace"
)

// rows makes the table: the root cause and the failure, in the failing run's
// order, each with what the passing run did instead.
func (a *analysis) rows() []Row {
	out, shown := []Row{}, []entry{}
	list := append([]entry{}, a.root...)
	if f := a.fail.fail; f >= 0 && a.stuck == nil {
		e := a.entry(f)
		at := len(list)
		for i, o := range list {
			if o.ev == f {
				at = -1
				break
			}
			if o.late && at == len(list) {
				at = i
			}
		}
		if at >= 0 && len(e.stack) > 0 {
			list = append(list[:at], append([]entry{e}, list[at:]...)...)
		}
	}
	for i, e := range list {
		if len(e.stack) == 0 {
			continue
		}
		f := a.shown(e)
		row := Row{Goroutine: e.r.gname(e.g), File: a.in.Roots.Name(f.File), Line: f.Line, Code: a.code(e, f)}
		row.Failing, row.Passing = a.columns(list, i)
		if row.Failing == row.Passing {
			row.Failing, row.Passing = a.apart(list, e, row.Failing, row.Passing)
		}
		if row.Failing == row.Passing {
			if other := a.elsewhere(list, i, row.Passing); other != row.Passing {
				row.Nearest, row.Passing = row.Passing, other
			}
		}
		row.Differs = row.Failing != row.Passing
		if (a.stuck != nil || e.op == trace.OpSpawn) && !row.Differs {
			continue
		}
		out, shown = append(out, row), append(shown, e)
	}
	a.connect(out, shown)
	return out
}

const maxCode = 44

// code is the source line, without a brace that opens a block.
func (a *analysis) code(e entry, f trace.Frame) string {
	s := a.files.File(a.abs(f.File)).Line(f.Line)
	if s == "" {
		return strings.TrimSpace(opWord(e.op) + " " + a.nameOf(e))
	}
	if i := strings.Index(s, "//"); i > 0 && !strings.ContainsAny(s, "\"`") {
		s = s[:i]
	}
	s = strings.TrimSuffix(strings.TrimSpace(strings.TrimSuffix(s, "{")), ":")
	s = strings.TrimPrefix(strings.TrimPrefix(s, "if "), "for ")
	if cut := maxCode - 3; len(s) > maxCode {
		for !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "..."
	}
	return s
}

// columns says what happened at a row in either run.
func (a *analysis) columns(list []entry, i int) (failing, passing string) {
	e := list[i]
	switch {
	case e.failing != "":
		return e.failing, e.passing
	case e.exact:
		return a.raceColumn(e), ""
	case e.wait:
		return "waits for ever", a.passingWait(e)
	case e.late:
		return "-", "runs"
	case e.ev < 0:
		return "runs", "-"
	case e.ev == a.fail.fail:
		return "fails", "-"
	}
	p := a.counterpart(e)
	if e.op == trace.OpTimer || e.op == trace.OpTimerStop {
		return timerColumn(a.fail, e.ev), timerColumn(a.pass, p)
	}
	if a.fail.events[e.ev].Reads() && !a.fail.events[e.ev].Writes() || e.op == trace.OpRecv || e.op == trace.OpSelect {
		fw := a.way(a.fail, e.ev)
		failing = a.readColumn(a.fail, e.ev)
		if p < 0 {
			return arrow(failing, fw), a.lacking(e)
		}
		pw := a.way(a.pass, p)
		// One side of a condition often does nothing that is recorded.
		if a.fail.events[e.ev].Value != a.pass.events[p].Value {
			fw, pw = other(fw, pw), other(pw, fw)
		}
		return arrow(failing, fw), arrow(a.readColumn(a.pass, p), pw)
	}
	if p < 0 {
		return join("runs", a.value(a.fail, e.ev)), a.lacking(e)
	}
	if failing, passing, ok := a.related(list, e); ok {
		return failing, passing
	}
	failing = join("runs", a.value(a.fail, e.ev))
	return failing, join("runs", a.value(a.pass, p))
}

// related is the order of a step and another one, where the runs differ in it.
func (a *analysis) related(list []entry, e entry) (failing, passing string, ok bool) {
	for _, o := range list {
		if o.late && a.lateAfter(e, o) {
			line := a.from(e, o)
			return "before " + line, "after " + line, true
		}
		if failing, passing, ok = a.relation(e, o); ok {
			return failing, passing, true
		}
	}
	return "", "", false
}

// elsewhere looks for a passing run that differs at a row where the nearest
// one does not.
func (a *analysis) elsewhere(list []entry, i int, same string) string {
	if list[i].op == trace.OpSelect && list[i].ev >= 0 && !list[i].late {
		if text := a.tookFirst(list[i].ev); text != "" {
			return text
		}
	}
	pass, m := a.pass, a.m
	defer func() { a.pass, a.m = pass, m }()
	for _, o := range a.others {
		if o == m {
			continue
		}
		a.pass, a.m = o.pass, o
		if f, p := a.columns(list, i); f != p && p != "-" && p != notShared {
			return p + inAnother
		}
	}
	return same
}

// tookFirst is the case that a passing run's select took where the failing run's took
// the one of ev, which may have been the passing run's next; "" if there is none.
func (a *analysis) tookFirst(ev int) string {
	r := a.fail
	for _, m := range a.others {
		g, before := trace.GID(0), -1
		for _, x := range r.byG[r.events[ev].G] {
			if p := m.toPass[x]; x < ev && p >= 0 {
				g, before = m.pass.events[p].G, max(before, p)
			}
		}
		for _, p := range m.pass.byG[g] {
			o := &m.pass.events[p]
			if p <= before || o.Op != trace.OpSelect || !sameStack(m.pass.stack(p), r.stack(ev)) {
				continue
			}
			e := entry{r: m.pass, ev: p, g: o.G, op: o.Op, obj: o.Obj, stack: a.userFrames(m.pass.stack(p))}
			if o.Value == r.events[ev].Value || len(e.stack) == 0 {
				break
			}
			if _, text := a.selectCase(e); text != "" {
				return text + " first"
			}
			break
		}
	}
	return ""
}

// passingWait is what a passing run did in place of a wait that never ends.
func (a *analysis) passingWait(e entry) string {
	i := slices.IndexFunc(a.stuck.waiters, func(w waiter) bool { return w.G == e.g })
	if a.pass == nil || i < 0 {
		return "-"
	}
	for n, m := range a.matchings() {
		if m.next(&a.stuck.waiters[i]) >= 0 {
			if n > 0 {
				return "goes on" + inAnother
			}
			return "goes on"
		}
	}
	return "not reached"
}

// inAnother is said of another passing run than the nearest.
const inAnother = " in another run"

// from is the place of o as the row of e names it: with the file where that is another.
func (a *analysis) from(e, o entry) string {
	own, f := a.shown(e), a.shown(o)
	if own.File == f.File || own.File == "" {
		return fmt.Sprint(f.Line)
	}
	return fmt.Sprintf("%s:%d", path.Base(a.in.Roots.Name(f.File)), f.Line)
}

// notReached says of a step that a run does not come to it.
func (a *analysis) notReached(e, o entry) string {
	at := a.from(e, o)
	if !strings.Contains(at, ":") {
		at = "line " + at
	}
	return at + " is not reached"
}

func join(s, value string) string {
	if value == "" {
		return s
	}
	return s + ", " + value
}

// readColumn: the value, where it came from, the way that it led to.
func (a *analysis) readColumn(r *run, ev int) string {
	s, plain := a.value(r, ev), false
	if s == "" {
		s, plain = "runs", r.events[ev].Op.IsMemory()
		if r.events[ev].Op == trace.OpSelect {
			en := entry{r: r, ev: ev, op: trace.OpSelect, obj: r.events[ev].Obj, stack: a.userFrames(r.stack(ev)), full: r.stack(ev)}
			if len(en.stack) > 0 {
				if _, text := a.selectCase(en); text != "" {
					s = text
				} else if en.obj != 0 {
					s = a.nameOf(en)
				}
			}
		} else if r.events[ev].Op == trace.OpRecv {
			s = [...]string{"nothing there", "got one", "closed"}[min(r.events[ev].Value, 2)]
		}
	}
	if src := r.src[ev]; src >= 0 {
		en := entry{r: r, ev: src, op: r.events[src].Op, stack: a.frames(r, r.events[src].G, r.events[src].Stack, r.events[src].Obj), full: r.stack(src)}
		if len(en.stack) > 0 {
			line := a.from(entry{r: r, ev: ev, op: r.events[ev].Op, stack: a.frames(r, r.events[ev].G, r.events[ev].Stack, r.events[ev].Obj), full: r.stack(ev)}, en)
			if plain {
				return "set at " + line
			}
			s += fmt.Sprintf(" (from %s)", line)
		}
	}
	return s
}

func arrow(s, way string) string {
	if way == "" {
		return s
	}
	return s + " → " + way
}

// other is the opposite of a known outcome where one's own is not known.
func other(own, known string) string {
	switch {
	case own != "" || known == "":
		return own
	case known == outcome(true):
		return outcome(false)
	}
	return outcome(true)
}

// way is the outcome of the condition that a read is part of, at the line that is shown of
// it, known where the goroutine's next events depend on it.
func (a *analysis) way(r *run, ev int) string {
	e := &r.events[ev]
	st := a.frames(r, e.G, e.Stack, e.Obj)
	if len(st) == 0 {
		return ""
	}
	f := a.shown(entry{r: r, ev: ev, g: e.G, op: e.Op, obj: e.Obj, stack: st, full: r.stack(ev)})
	list := r.byG[r.events[ev].G]
	for n, p := 0, r.pos[ev]+1; p < len(list) && n < 6; p++ {
		x := list[p]
		if isNoise(r.events[x].Op) {
			continue
		}
		n++
		if sameStack(r.stack(x), r.stack(ev)) && r.events[x].Op == r.events[ev].Op {
			return "" // the next round: what follows depends on that one
		}
		for _, d := range a.deps(r, x, false) {
			if d.ev == ev && d.in && inSpans(d.ctl.Spans, f.Line) && d.at.Func == f.Func && d.ctl.Kind != "select" && d.ctl.Kind != "range" && d.ctl.Kind != "switch" {
				return outcome(d.ctl.Taken)
			}
		}
	}
	return ""
}

// relation describes the order of a write and a conflicting step of another
// goroutine where the runs differ.
func (a *analysis) relation(e, o entry) (failing, passing string, ok bool) {
	if o.ev < 0 || o.late || e.late || o.g == e.g || o.ev == e.ev {
		return "", "", false
	}
	pe, po := a.m.toPass[e.ev], a.m.toPass[o.ev]
	if pe >= 0 && po < 0 && o.op.IsMemory() && a.fail.overlap(e.ev, o.ev) {
		order := "before"
		if o.ev < e.ev {
			order = "after"
		}
		return order + " " + a.from(e, o), a.notReached(e, o), true
	}
	if pe < 0 || po < 0 || !a.fail.overlap(e.ev, o.ev) || (e.ev < o.ev) == (pe < po) {
		return "", "", false
	}
	line := a.from(e, o)
	if f := a.shown(e); line == fmt.Sprint(f.Line) { // of one line, the goroutines differ
		line = o.r.gname(o.g)
	}
	if e.ev < o.ev {
		return "before " + line, "after " + line, true
	}
	return "after " + line, "before " + line, true
}
