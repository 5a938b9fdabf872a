package postmortem

import (
	"cmp"
	"math"
	"slices"

	"github.com/hocket-dev/hocket/engine/trace"
)

// Priority is how accesses to critical shared variables are ranked.
type Priority string

// Priorities. Those by name are the paper's; Both takes the dependence distance where
// there is one, and the temporal one, later, elsewhere, and adds preemptions (planner.near).
// Chess ranks nothing: all
// preemptions in the order of the run, and all goroutines in their place.
const (
	Both       Priority = "both"
	Temporal   Priority = "temporal"
	Dependence Priority = "dependence"
	Chess      Priority = "chess"
)

// Bounds of what is tried.
const (
	mostPreemptions = 400 // one at a time
	mostPaired      = 64  // of which two are combined, the best
	mostNear        = 24  // switch points before the aligned point that count in any case
	mostRare        = 16  // blocks of others that write what is seldom written
	mostOthers      = 16  // goroutines that may go on after one
	lowest          = 1 << 20
	hundred         = 100
)

// preemption is a candidate: goroutine g is stopped after count switch points, before a
// block of its that uses critical variables.
type preemption struct {
	g      trace.GID
	count  uint32
	at     int // index of the first event of the block
	weight int // the least rank of its accesses
	uses   map[int]bool
	writes bool
}

// attempt is a combination of preemptions, each with who goes on.
type attempt struct {
	weight int
	order  int
	steps  []step
}

type step struct {
	p  *preemption
	to trace.GID
}

// planner makes schedules of a passing run.
type planner struct {
	t       *trace.Trace
	aligned int
	uses    map[int][]int                // event -> critical variables
	future  map[trace.GID]map[int][2]int // goroutine -> variable -> last use, last write (event + 1)
	born    map[trace.GID]int
	ended   map[trace.GID]int
	locked  map[int]bool // events before which their goroutine holds a lock
}

func newPlanner(t *trace.Trace, aligned int, critical []Difference, all bool) *planner {
	p := &planner{t: t, aligned: aligned, uses: map[int][]int{}, future: map[trace.GID]map[int][2]int{}, born: map[trace.GID]int{1: 0}, ended: map[trace.GID]int{}, locked: lockedIn(t)}
	at := map[uint64][]int{} // address -> critical variables there
	for i, e := range t.Events {
		switch e.Op {
		case trace.OpSpawn:
			p.born[trace.GID(e.Aux)] = i
		case trace.OpEnd:
			p.ended[e.G] = i
		}
		addr := t.Object(e.Obj).Addr
		if e.Obj == 0 || addr == 0 {
			continue
		}
		if all {
			p.use(i, 0, e)
			continue
		}
		there, known := at[addr]
		if !known {
			there = coveredBy(critical, addr)
			at[addr] = there
		}
		for _, v := range there {
			p.use(i, v, e)
		}
	}
	return p
}

// lockedIn are the events before which their goroutine holds a lock: others would only
// come to that lock.
func lockedIn(t *trace.Trace) map[int]bool {
	held, out := map[trace.GID]int{}, map[int]bool{}
	for i, e := range t.Events {
		if held[e.G] > 0 {
			out[i] = true
		}
		switch e.Op {
		case trace.OpLock, trace.OpRLock:
			held[e.G]++
		case trace.OpUnlock, trace.OpRUnlock:
			held[e.G] = max(held[e.G]-1, 0) // a lock may be given back by another one
		}
	}
	return out
}

// coveredBy are the variables in whose place an address lies.
func coveredBy(critical []Difference, addr uint64) (out []int) {
	for v, d := range critical {
		if addr >= d.addr && addr < d.addr+d.size {
			out = append(out, v)
		}
	}
	return out
}

func (p *planner) use(i, v int, e trace.Event) {
	p.uses[i] = append(p.uses[i], v)
	f := p.future[e.G]
	if f == nil {
		f = map[int][2]int{}
		p.future[e.G] = f
	}
	u := f[v]
	u[0] = i + 1
	if changes(e.Op) {
		u[1] = i + 1
	}
	f[v] = u
}

// changes is true of all but reads: of what is no access, another order always matters.
func changes(op trace.Op) bool { return !reads(op) || writes(op) }

// ranks gives each access to a critical variable before the aligned point its place.
func (p *planner) ranks(by Priority) map[int]int {
	var order []int
	for i := p.aligned; i >= 0; i-- {
		if len(p.uses[i]) > 0 {
			order = append(order, i)
		}
	}
	out := map[int]int{}
	if by == Temporal || by == Chess {
		for n, i := range order {
			out[i] = n + 1
		}
		return out
	}
	dist := distances(p.t, p.aligned)
	for n, i := range order {
		switch d, ok := dist[i]; {
		case ok:
			out[i] = d + 1
		case by == Both:
			out[i] = hundred + n
		default:
			out[i] = lowest
		}
	}
	return out
}

// candidates are the switch points before the aligned point whose blocks use critical
// variables, in the order of the run.
func (p *planner) candidates(rank map[int]int) (out []*preemption) {
	open := map[trace.GID]*preemption{}
	count := map[trace.GID]uint32{}
	for i, e := range p.t.Events[:p.aligned+1] {
		if e.Count > count[e.G] || open[e.G] == nil {
			if e.Count > 0 {
				open[e.G] = &preemption{g: e.G, count: e.Count - 1, at: i, weight: math.MaxInt, uses: map[int]bool{}}
			}
			count[e.G] = e.Count
		}
		pm := open[e.G]
		if pm == nil || len(p.uses[i]) == 0 {
			continue
		}
		if len(pm.uses) == 0 {
			out = append(out, pm)
		}
		for _, v := range p.uses[i] {
			pm.uses[v] = true
		}
		pm.writes = pm.writes || changes(e.Op)
		pm.weight = min(pm.weight, rank[i])
	}
	return out
}

// near adds the last switch points of the failing goroutine before the aligned point at
// which it holds no lock, the later the better, whatever their blocks use: what others write to critical variables
// may matter there because of what the goroutine has decided before. The paper does not
// have these.
func (p *planner) near(pms []*preemption) []*preemption {
	e := p.t.Events[p.aligned]
	all := map[int]bool{}
	for _, uses := range p.uses {
		for _, v := range uses {
			all[v] = true
		}
	}
	count := e.Count + 1
	for i, n := p.aligned, 0; i >= 0 && n < mostNear; i-- {
		if o := p.t.Events[i]; o.G != e.G || o.Count >= count || o.Count == 0 {
			continue
		} else if i > 0 && p.before(i) == o.Count {
			continue // not the first of its block
		} else if p.locked[i] {
			count = o.Count
			continue
		} else {
			count = o.Count
		}
		n++
		weight := 2 * n
		k := slices.IndexFunc(pms, func(pm *preemption) bool { return pm.g == e.G && pm.count == count-1 })
		if k < 0 {
			k = len(pms)
			pms = append(pms, &preemption{g: e.G, count: count - 1, at: i, weight: weight, uses: all})
		}
		pms[k].weight = min(pms[k].weight, weight)
	}
	return pms
}

// rare adds blocks of other goroutines, stopped before and after them, that write critical
// variables which the failing goroutine used last: those that are seldom written first, as what many
// write (counters, logs) tells nothing. They may come after the aligned point: the failing
// goroutine is to see what they have done by halves. The paper does not have these.
func (p *planner) rare(pms []*preemption) []*preemption {
	failing := p.t.Events[p.aligned].G
	wanted := map[int]bool{}
	for i, n := p.aligned, 0; i >= 0 && n < mostNear; i-- {
		if p.t.Events[i].G == failing && len(p.uses[i]) > 0 {
			n++
			for _, v := range p.uses[i] {
				wanted[v] = true
			}
		}
	}
	writes := map[int]int{}
	var blocks []*preemption
	open := map[trace.GID]*preemption{}
	for i, e := range p.t.Events {
		if e.G == failing || e.Count == 0 {
			continue
		}
		b := open[e.G]
		switch {
		case b == nil || e.Count > b.count && !p.locked[i]:
			b = &preemption{g: e.G, count: e.Count, at: i, uses: map[int]bool{}, writes: true}
			open[e.G] = b
		case e.Count > b.count: // up to where it holds no lock
			b.count = e.Count
		}
		for _, v := range p.uses[i] {
			if !wanted[v] || !changes(e.Op) {
				continue
			}
			if len(b.uses) == 0 {
				blocks = append(blocks, b)
			}
			b.uses[v] = true
			writes[v]++
		}
	}
	rarest := func(b *preemption) int {
		least := math.MaxInt
		for v := range b.uses {
			least = min(least, writes[v])
		}
		return least
	}
	slices.SortStableFunc(blocks, func(a, b *preemption) int { return cmp.Compare(rarest(a), rarest(b)) })
	for n, b := range blocks[:min(len(blocks), mostRare)] {
		before := *b
		before.count = p.t.Events[b.at].Count - 1
		before.weight, b.weight = 2*n+1, 2*n+2
		pms = append(pms, &before, b)
	}
	return pms
}

// before is the count of the event of the same goroutine before one, 0 if there is none.
func (p *planner) before(i int) uint32 {
	for j := i - 1; j >= 0; j-- {
		if p.t.Events[j].G == p.t.Events[i].G {
			return p.t.Events[j].Count
		}
	}
	return 0
}

// others are the goroutines that will use a variable of the block, there when it begins;
// of many the first ones: all pairs of them are combined.
func (p *planner) others(pm *preemption) (out []trace.GID) {
	for g := range p.future {
		if born, ok := p.born[g]; g == pm.g || ok && born > pm.at {
			continue
		}
		if end, ok := p.ended[g]; ok && end < pm.at {
			continue
		}
		for v := range pm.uses {
			u := p.future[g][v]
			if u[0] > pm.at && (pm.writes || u[1] > pm.at) {
				out = append(out, g)
				break
			}
		}
	}
	slices.Sort(out)
	return out[:min(len(out), mostOthers)]
}

// schedules are those of Algorithm 2: all combinations of one and of two preemptions,
// by weight, at most n.
func (p *planner) schedules(by Priority, n int) (out []trace.Schedule) {
	pms := p.candidates(p.ranks(by))
	pairs := 0 // what two preemptions weigh more than one
	if by == Both {
		for _, pm := range pms {
			if p.locked[pm.at] {
				pm.weight += 2 * mostNear
			}
		}
		pms, pairs = p.rare(p.near(pms)), 2*mostNear
	}
	if by == Chess {
		for i, pm := range pms {
			pm.weight = i
		}
	}
	slices.SortStableFunc(pms, func(a, b *preemption) int { return cmp.Compare(a.weight, b.weight) })
	pms = pms[:min(len(pms), mostPreemptions)]
	var all []attempt
	for _, pm := range pms {
		for _, to := range p.others(pm) {
			all = append(all, attempt{pm.weight, len(all), []step{{pm, to}}})
		}
	}
	singles := len(all)
	for i, a := range pms[:min(len(pms), mostPaired)] {
		for _, b := range pms[i+1 : min(len(pms), mostPaired)] {
			x, y := a, b
			if y.at < x.at {
				x, y = y, x
			}
			for _, to := range p.others(x) {
				for _, then := range p.afterwards(x, y) {
					all = append(all, attempt{pairs + x.weight + y.weight, len(all), []step{{x, to}, {y, then}}})
				}
			}
		}
	}
	if by == Chess { // fewer preemptions first
		slices.SortStableFunc(all[:singles], byWeight)
	} else {
		slices.SortStableFunc(all, byWeight)
	}
	for _, a := range all[:min(len(all), n)] {
		out = append(out, p.schedule(a))
	}
	return out
}

func byWeight(a, b attempt) int {
	return cmp.Or(cmp.Compare(a.weight, b.weight), cmp.Compare(len(a.steps), len(b.steps)), cmp.Compare(a.order, b.order))
}

// afterwards is who may go on after the second of two preemptions: also the goroutine
// that the first one stopped.
func (p *planner) afterwards(x, y *preemption) []trace.GID {
	out := p.others(y)
	if x.g != y.g && !slices.Contains(out, x.g) {
		out = append(out, x.g)
	}
	return out
}

// schedule is the passing run up to the first preemption; then each goroutine that goes
// on does so until it blocks, ends or is preempted itself.
func (p *planner) schedule(a attempt) trace.Schedule {
	s := p.t.Schedule
	s.Segments = p.upTo(a.steps[0].p)
	for i, st := range a.steps {
		until := uint32(math.MaxUint32)
		if i+1 < len(a.steps) {
			next := a.steps[i+1].p
			if next.g == st.to {
				until = next.count
			} else {
				s.Segments = append(s.Segments, p.segment(st.to, until))
				s.Segments = append(s.Segments, p.segment(next.g, next.count))
				continue
			}
		}
		s.Segments = append(s.Segments, p.segment(st.to, until))
	}
	return s
}

func (p *planner) segment(g trace.GID, until uint32) trace.Segment {
	return trace.Segment{G: p.t.Goroutine(g).Key, Until: until}
}

// upTo are the segments of the passing run before a preemption, which ends the last.
func (p *planner) upTo(pm *preemption) (out []trace.Segment) {
	key := p.t.Goroutine(pm.g).Key
	for _, s := range p.t.Schedule.Segments {
		if s.G == key && !s.Timer && s.Until >= pm.count {
			s.Until = pm.count
			return append(out, s)
		}
		out = append(out, s)
	}
	return append(out, p.segment(pm.g, pm.count))
}
