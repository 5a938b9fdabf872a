package synth

import (
	"context"
	"slices"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/trace"
)

var _ run.Twin = (*Program)(nil)

// Learn implements run.Twin.
func (p *Program) Learn(ctx context.Context, r *run.Result) (run.Fit, error) {
	p.learn(r.Trace)
	res, e, err := p.execute(ctx, run.Spec{Strategy: run.Replay, Record: run.Every, Schedule: p.model(r)})
	if err != nil {
		return run.Fit{}, err
	}
	f := run.Fit{}
	f.Shared, f.Modelled = p.compare(r.Trace, res.Trace)
	f.Branches = p.outcomes(e)
	if e.failed == "" && res.Failed() {
		f.Shows = run.SignatureOf(res)
	}
	return f, nil
}

// Play implements run.Twin.
func (p *Program) Play(ctx context.Context, s run.Spec) (*run.Result, run.Played, error) {
	r, e, err := p.execute(ctx, s)
	return r, run.Played{Branches: p.outcomes(e), Work: e.steps, Why: e.failed}, err
}

// Real implements run.Twin.
func (p *Program) Real(r *run.Result) trace.Schedule { return p.real(r.Trace, r.Schedule) }

// outcomes are the branches of an execution, each once.
func (p *Program) outcomes(e *execution) (out []run.Branch) {
	seen := map[branch]bool{}
	for _, b := range e.branches {
		if !seen[b] {
			seen[b] = true
			s := p.numbered[b.spot]
			out = append(out, run.Branch{ID: b.spot, At: trace.Frame{Func: s.fn, File: s.file, Line: s.line}, Cond: condition(s.in), Taken: b.taken})
		}
	}
	return out
}

// model is the schedule under which the model does what a run of the program did.
func (p *Program) model(r *run.Result) trace.Schedule {
	keys := map[uint64]uint64{}
	for _, g := range r.Trace.Goroutines {
		keys[g.Key] = sim.Key(g.Path)
	}
	s := trace.Schedule{ClockStep: r.Schedule.ClockStep}
	for _, seg := range r.Schedule.Segments {
		if !seg.Timer {
			s.Segments = append(s.Segments, trace.Segment{G: keys[seg.G], Until: seg.Until, Await: seg.Await})
		}
	}
	for _, e := range r.Trace.Events {
		if e.Op == trace.OpSelect && int64(e.Value) >= 0 {
			s.Choices = append(s.Choices, trace.Choice{G: keys[r.Trace.Goroutine(e.G).Key], Count: e.Count, Case: int(int64(e.Value))})
		}
	}
	for a, names := range p.fit.sites {
		for name := range names {
			if slices.Contains(r.Schedule.Hot, name) {
				s.Hot = append(s.Hot, p.spotsOf(a)...)
				break
			}
		}
	}
	slices.Sort(s.Hot)
	return s
}

// spotsOf are the model's names of the accesses of a kind at a line.
func (p *Program) spotsOf(a access) (out []string) {
	for _, s := range p.numbered[1:] {
		if b, plain := p.accessOf(s); plain && a == b {
			out = append(out, sim.Site(s.number))
		}
	}
	return out
}

// compare counts the events of a run of the program on what several goroutines use,
// and those of them that a run of the model has in the same goroutine, at the same
// line, with the same value.
func (p *Program) compare(real, model *trace.Trace) (shared, modelled int) {
	mine := map[string][]sight{}
	for i := range model.Events {
		e := &model.Events[i]
		if s, ok := show(model, e); ok {
			path := model.Goroutine(e.G).Path
			mine[path] = append(mine[path], s)
		}
	}
	users := usersOf(real)
	for i := range real.Events {
		e := &real.Events[i]
		s, ok := show(real, e)
		if _, own, of := p.within(real.Stack(e.Stack)); !ok || !own || !of || !users[e.Obj] || compilersOwn(real.Object(e.Obj).Var) {
			continue
		}
		shared++
		path := real.Goroutine(e.G).Path
		left := mine[path]
		for j := 0; j < len(left) && j < ahead; j++ {
			if left[j].same(s) {
				modelled++
				mine[path] = left[j+1:]
				break
			}
		}
	}
	return shared, modelled
}

// ahead is how many events of the model an event is looked for among.
const ahead = 24

// usersOf are the objects that several goroutines use.
func usersOf(t *trace.Trace) map[trace.ObjID]bool {
	first, many := map[trace.ObjID]trace.GID{}, map[trace.ObjID]bool{}
	for i := range t.Events {
		e := &t.Events[i]
		if e.Obj == 0 {
			continue
		}
		if g, ok := first[e.Obj]; !ok {
			first[e.Obj] = e.G
		} else if g != e.G {
			many[e.Obj] = true
		}
	}
	return many
}

// sight is what two events are compared by.
type sight struct {
	op    trace.Op
	file  string
	line  int
	value uint64
	exact bool
}

func show(t *trace.Trace, e *trace.Event) (sight, bool) {
	fs := t.Stack(e.Stack)
	if len(fs) == 0 {
		return sight{}, false
	}
	s := sight{op: e.Op, file: fs[0].File, line: fs[0].Line}
	switch e.Op {
	case trace.OpReadRange:
		s.op = trace.OpRead
	case trace.OpWriteRange:
		s.op = trace.OpWrite
	case trace.OpRead, trace.OpWrite, trace.OpAtomicLoad, trace.OpAtomicStore, trace.OpAtomicRMW:
		switch t.Object(e.Obj).Elem {
		case "bool", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64":
			s.exact = e.HasValue
			s.value = cutTo(e.Value, t.Object(e.Obj).Size)
		}
	case trace.OpBlock, trace.OpUnblock, trace.OpStart, trace.OpEnd, trace.OpSelectCase, trace.OpAtomicOld, trace.OpOnceLoad, trace.OpOnceDo, trace.OpPanicStart:
		return s, false
	}
	return s, true
}

func cutTo(v uint64, size int) uint64 {
	if size > 0 && size < 8 {
		return v & (1<<(8*size) - 1)
	}
	return v
}

func (a sight) same(b sight) bool {
	return a.op == b.op && a.line == b.line && a.file == b.file && (!a.exact || !b.exact || a.value == b.value)
}
