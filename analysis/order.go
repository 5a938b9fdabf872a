package analysis

import (
	"go/constant"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/hocket-dev/hocket/analysis/program"
)

// entry is where goroutines come from that no code at hand starts: main, a
// test, or the unknown callers of a library.
type entry struct {
	p      *summarizer
	name   string // "main", "TestX", "callers of Cache"
	events []*event
	// callers: the first link of each chain is a method that callers outside
	// run, at the same time as the others and as itself.
	callers bool
	full    bool            // some operations were left out
	live    map[string]bool // types of which a value is put into an interface

	releases, acquires []*event
	meets              map[*event][]*event // release → acquires of the same object
	before             map[[2]*event]bool  // memo of ordered
}

// parallel reports whether two operations may run at once.
func (en *entry) parallel(x, y *event) bool {
	common, rx, ry := part(x.chain, y.chain)
	if en.again(x, y, common) {
		return true
	}
	if rx == nil || ry == nil {
		return false
	}
	if common == 0 && en.callers {
		return !en.apart(x, y) && !en.joined(x, y) && !en.joined(y, x)
	}
	xs, ys := rx.spawns(), ry.spawns()
	switch {
	case !xs && !ys:
		return false
	case xs && ys:
		if !en.meet(x, y, rx, ry, common) && !en.meet(y, x, ry, rx, common) {
			return false
		}
	case xs:
		if !en.meet(x, y, rx, ry, common) {
			return false
		}
	default:
		if !en.meet(y, x, ry, rx, common) {
			return false
		}
	}
	return !en.ordered(x, y) && !en.ordered(y, x)
}

// apart reports whether each of two callers made its own object.
func (en *entry) apart(x, y *event) bool {
	return x.path.base.kind == alloc && y.path.base.kind == alloc && madeHere(x.path) && madeHere(y.path)
}

// joined reports whether x is in a goroutine that one method starts, and y comes after the
// wait for it in another one, or x before the close that y waits for. That the
// wait comes after the start is up to the callers.
func (en *entry) joined(x, y *event) bool {
	for _, r := range en.releases {
		if r.op != opClose && (r.op != opDone || !x.chain.next.spawns()) || !en.lastBefore(x, r) {
			continue
		}
		for _, q := range en.meets[r] {
			if en.precedes(q, y) {
				return true
			}
		}
	}
	return false
}

// meet reports whether y's link may be executed after x's, which starts a
// goroutine, while both still mean the same object: it is not made anew on
// every way from one to the other.
func (en *entry) meet(x, y *event, rx, ry *chain, common int) bool {
	if !en.p.linkFollows(rx, ry) {
		return false
	}
	if x.path.base != y.path.base || x.path.base.kind != alloc || rx.mode == deferred || ry.mode == deferred {
		return true
	}
	if n, made, _ := part(x.path.base.ctx, x.chain); n == common && made != nil && made.instr.Parent() == rx.instr.Parent() {
		return en.p.FollowsWithout(rx.instr, ry.instr, made.instr)
	}
	return true
}

// again reports whether the two may be in different goroutines that one
// statement starts, and concern one object.
func (en *entry) again(x, y *event, common int) bool {
	c := x.chain
	loop := false
	for i := 0; i < common && c != nil; i, c = i+1, c.next {
		many := i == 0 && en.callers
		loop = loop || en.p.InLoop(c.instr)
		if c.mode != spawned || !many && !loop && !en.p.startedAgain(c) {
			continue
		}
		if !many && en.waits(x, c, i) {
			continue
		}
		if !en.ownObject(x, i) && !en.ownObject(y, i) {
			return true
		}
	}
	return false
}

// startedAgain reports whether the library starts the goroutine several times.
func (p *summarizer) startedAgain(c *chain) bool {
	call, ok := c.instr.(ssa.CallInstruction)
	if !ok {
		return false
	}
	s, ok := startedBy(call.Common())
	return ok && s.many
}

// waits reports whether each round of the loop that starts the goroutine waits for its end.
func (en *entry) waits(x *event, at *chain, depth int) bool {
	for _, q := range en.acquires {
		common, rq, rx := part(q.chain, x.chain)
		if q.chosen() || common != depth || rq == nil || rx == nil || rx.instr != at.instr || rq.spawns() || rq.mode == deferred {
			continue
		}
		if en.p.SameLoop(rq.instr, at.instr) && en.p.Before(at.instr, rq.instr) && en.released(x, q) {
			return true
		}
	}
	return false
}

// ownObject reports whether each goroutine started at link i of the chain has
// an object of its own: made in it, or in the round of the loop that starts it.
func (en *entry) ownObject(e *event, i int) bool {
	if e.path.base.kind != alloc {
		return false
	}
	made, c := e.path.base.ctx, e.chain
	for j := 0; ; j++ {
		if made == nil || c == nil {
			return false
		}
		if made.instr != c.instr || made.mode != c.mode {
			return en.p.inStep(made.instr, c.instr) && !en.p.loops(c.next, i-j-1)
		}
		if j >= i {
			return true
		}
		made, c = made.next, c.next
	}
}

// inStep reports whether two instructions of a function are executed equally often: in one loop,
// or neither in one.
func (p *summarizer) inStep(a, b ssa.Instruction) bool {
	return p.SameLoop(a, b) || a.Parent() == b.Parent() && !p.InLoop(a) && !p.InLoop(b)
}

// linkFollows reports whether b may be executed after a, links of one frame.
func (p *summarizer) linkFollows(a, b *chain) bool {
	switch {
	case a.mode == ended || b.mode == ended:
		return b.mode == ended
	case a.mode == deferred && b.mode == deferred:
		return p.CanFollow(b.instr, a.instr) // the last one registered runs first
	case a.mode == deferred:
		return false
	case b.mode == deferred:
		return true
	}
	return p.CanFollow(a.instr, b.instr)
}

// ordered reports whether y certainly waits until x is done, through channels,
// wait groups and goroutine ends.
func (en *entry) ordered(x, y *event) bool {
	key := [2]*event{x, y}
	if v, ok := en.before[key]; ok {
		return v
	}
	v := en.reaches(x, y, 2)
	en.before[key] = v
	return v
}

func (en *entry) reaches(x, y *event, more int) bool {
	for _, r := range en.releases {
		if len(en.meets[r]) == 0 || !en.lastBefore(x, r) {
			continue
		}
		for _, q := range en.meets[r] {
			if en.anyOf(x, r, q, y) && (en.precedes(q, y) || more > 0 && en.reaches(q, y, more-1)) {
				return true
			}
		}
	}
	return false
}

// anyOf reports whether whichever message q receives, x is done. If there may be others than
// those that follow x, q must receive all of them, in a loop before y.
func (en *entry) anyOf(x, r, q, y *event) bool {
	if r.op != opSend {
		return true
	}
	single := !en.p.loops(x.chain, spawnsAt(x.chain))
	for _, o := range en.releases {
		single = single && (o.op != opSend || o.path.key != r.path.key || en.lastBefore(x, o))
	}
	if single {
		return true
	}
	_, rq, ry := part(q.chain, y.chain)
	return rq != nil && ry != nil && en.p.InLoop(rq.instr) && !en.p.SameLoop(rq.instr, ry.instr)
}

// spawnsAt is the index of the last link that starts a goroutine, -1 if none
// does.
func spawnsAt(c *chain) int {
	at := -1
	for i := 0; c != nil; i, c = i+1, c.next {
		if c.mode == spawned {
			at = i
		}
	}
	return at
}

// released reports whether what q waits for comes after all of x's goroutine's x.
func (en *entry) released(x, q *event) bool {
	for _, r := range en.releases {
		if !en.lastBefore(x, r) {
			continue
		}
		for _, a := range en.meets[r] {
			if a == q {
				return true
			}
		}
	}
	return false
}

// lastBefore reports whether x and r are of one goroutine, and no x can follow r.
func (en *entry) lastBefore(x, r *event) bool {
	_, rx, rr := part(x.chain, r.chain)
	if rx == nil || rr == nil {
		return rx == rr
	}
	if rr.mode == ended { // the end of the goroutine that x's chain starts there
		return rx.mode != ended
	}
	if rx.spawns() || rr.spawns() {
		return false
	}
	return !en.p.linkFollows(rr, rx)
}

// precedes reports whether y is executed only after q.
func (en *entry) precedes(q, y *event) bool {
	_, rq, ry := part(q.chain, y.chain)
	if q.chosen() {
		return rq != nil && ry != nil && rq.next == nil && inCase(q, ry.instr)
	}
	if rq == nil || ry == nil || rq.spawns() || rq.mode == deferred || !en.p.Before(rq.instr, ry.instr) {
		if rq == nil || ry == nil || rq.spawns() || rq.mode == deferred || ry.mode != deferred || !en.p.Always(rq.instr) {
			return false
		}
	}
	for c := rq.next; c != nil; c = c.next {
		if !en.p.Always(c.instr) {
			return false
		}
	}
	return true
}

// maxEntry bounds the operations of one entry that are compared.
const maxEntry = 1500

// forget drops what is no longer needed once the entry was looked at: large
// modules have hundreds of entries.
func (en *entry) forget() {
	en.before, en.meets, en.releases, en.acquires, en.events = nil, nil, nil, nil, nil
}

// index prepares ordered.
func (en *entry) index() {
	en.events = slices.Clone(en.events[:min(len(en.events), maxEntry)])
	for i, e := range en.events {
		if locks := holding(e.locks); len(locks) != len(e.locks) {
			own := *e
			own.locks = locks
			en.events[i] = &own
		}
	}
	en.meets, en.before = map[*event][]*event{}, map[[2]*event]bool{}
	for _, e := range en.events {
		switch e.op {
		case opDone, opSend, opClose:
			en.releases = append(en.releases, e)
		case opWaitAll:
			en.acquires = append(en.acquires, e)
		case opReceive:
			en.acquires = append(en.acquires, e)
		}
	}
	const most = 150 // beyond, the orders of a program are not worth their time
	if len(en.releases) > most {
		en.releases = en.releases[:most]
	}
	for _, r := range en.releases {
		for _, q := range en.acquires {
			if (r.op == opDone) == (q.op == opWaitAll) && mayAlias(r.path, q.path) == same {
				en.meets[r] = append(en.meets[r], q)
			}
		}
	}
}

// inCase reports whether the instruction is executed only if the select of a
// receive took its case.
func inCase(q *event, in ssa.Instruction) bool {
	i := slices.Index(q.sel.States, q.state)
	for _, r := range *q.sel.Referrers() {
		if x, ok := r.(*ssa.Extract); !ok || x.Index != 0 {
			continue
		}
		for _, r := range *r.(*ssa.Extract).Referrers() {
			cmp, ok := r.(*ssa.BinOp)
			if !ok || cmp.Op != token.EQL || !isInt(cmp.Y, i) {
				continue
			}
			for _, r := range *cmp.Referrers() {
				if branch, ok := r.(*ssa.If); ok && program.OnlyIfTaken(branch, 0, in) {
					return true
				}
			}
		}
	}
	return false
}

func isInt(v ssa.Value, i int) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && c.Value.Kind() == constant.Int && c.Int64() == int64(i)
}
