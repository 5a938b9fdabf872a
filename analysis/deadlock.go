package analysis

import "fmt"

// deadlocks: two goroutines that each wait for a lock which the other holds.
func (f *finder) deadlocks() {
	var es []*event
	for _, o := range []op{opLock, opRLock} {
		for _, e := range f.byOp[o] {
			f.twice(e)
			if len(e.locks) > 0 && !e.path.unsure {
				es = append(es, e)
			}
		}
	}
	const most = 200
	es = es[:min(most, len(es))]
	for i, x := range es {
		for _, y := range es[i:] {
			f.inverted(x, y)
		}
	}
}

// twice: a lock is waited for by its own holder.
func (f *finder) twice(e *event) {
	for _, h := range e.locks {
		if h.lock.key != e.path.key || h.lock.unsure || e.path.unsure || len(e.path.steps) > 3 || e.op == opRLock && h.mode == forReading {
			continue
		}
		if hasElem(e.path) || h.at == e.chain {
			continue
		}
		first := &event{op: opLock, path: h.lock, chain: h.at, fn: h.at.last().instr.Parent()}
		f.add(&candidate{kind: Deadlock, x: first, y: e, what: e.path.short(), group: e.path.bucket() + "twice", score: 0.7,
			why: "the goroutine already holds the lock that it waits for here"})
	}
}

func hasElem(p *path) bool {
	for _, s := range p.steps {
		if s.kind == toElem {
			return true
		}
	}
	return false
}

func (f *finder) inverted(x, y *event) {
	for _, hx := range x.locks {
		for _, hy := range y.locks {
			a, b := mayAlias(x.path, hy.lock), mayAlias(y.path, hx.lock)
			if a == never || b == never || hx.lock.unsure || hy.lock.unsure || hx.lock.key == x.path.key || hy.lock.key == y.path.key {
				continue
			}
			if hx.mode == forReading && y.op == opRLock && hy.mode == forReading && x.op == opRLock {
				continue
			}
			if f.gated(x, y, hx, hy) || !f.en.parallel(x, y) {
				continue
			}
			score, doubt := 0.6+0.35*min(a, b), ""
			if x.path.bucket() == hx.lock.bucket() && min(a, b) < same {
				doubt = "one lock of many alike objects, perhaps taken in a fixed order"
			}
			f.add(&candidate{kind: Deadlock, doubt: doubt, x: x, y: y, what: hx.lock.short() + " and " + x.path.short(),
				group: x.path.bucket() + hx.lock.bucket() + "deadlock", score: score,
				why: fmt.Sprintf("waits for %s holding %s, while the other waits for %s holding %s",
					x.path.short(), hx.lock.short(), y.path.short(), hy.lock.short())})
			return
		}
	}
}

// gated reports whether a third lock keeps the two apart.
func (f *finder) gated(x, y *event, hx, hy held) bool {
	for _, h := range x.locks {
		for _, g := range y.locks {
			if h.at != hx.at && g.at != hy.at && (h.mode == forWriting || g.mode == forWriting) && mayAlias(h.lock, g.lock) > byType {
				return true
			}
		}
	}
	return false
}

// answers are the operations that let a blocked one go on.
var answers = map[op][]op{opSend: {opReceive}, opReceive: {opSend, opClose}, opWaitAll: {opDone}, opWait: {opSignal, opBroadcast}}

// blockedHolding: a goroutine waits for another one while it holds a lock that
// the other needs before it answers.
func (f *finder) blockedHolding() {
	for _, o := range []op{opSend, opReceive, opWaitAll, opWait} {
		for _, e := range f.byOp[o] {
			for _, h := range e.locks {
				if (e.block || o == opWaitAll || o == opWait) && !h.lock.unsure {
					f.needs(e, h)
				}
			}
		}
	}
}

func (f *finder) needs(e *event, h held) {
	if e.op == opWait {
		if l, ok := f.p.condLocks[e.path.bucket()]; !ok || endsIn(h.lock, l) || len(e.locks) < 2 {
			return
		}
	}
	reported := map[*chain]bool{}
	for _, o := range []op{opLock, opRLock} {
		for _, l := range f.byOp[o] {
			if mayAlias(l.path, h.lock) == never || l.op == opRLock && h.mode == forReading || reported[l.chain.last()] || !f.en.parallel(e, l) {
				continue
			}
			a := f.answer(e, l)
			if a == nil {
				continue
			}
			reported[l.chain.last()] = true
			score := 0.62 + 0.28*mayAlias(l.path, h.lock)
			if size := f.p.capacity(e.path); size > 0 && e.op == opSend {
				score -= 0.25
			}
			if e.sel != nil && len(e.sel.States) > 1 {
				score -= 0.35
			}
			doubt := ""
			if mayAlias(a.path, e.path) < same || mayAlias(l.path, h.lock) < same {
				doubt = "perhaps another one answers"
			}
			f.add(&candidate{kind: Deadlock, doubt: doubt, x: e, y: l, what: e.path.words() + " and " + h.lock.short(), group: e.path.bucket() + "holding", score: score,
				why: fmt.Sprintf("%ss holding %s; who answers (%s, line %d) may first wait for %s here",
					e.op, h.lock.short(), a.op, f.p.line(a), l.path.short())})
		}
	}
}

// answer is an operation that follows l in its goroutine and lets e go on.
func (f *finder) answer(e, l *event) *event {
	for _, o := range answers[e.op] {
		for _, a := range f.byOp[o] {
			if mayAlias(a.path, e.path) == never {
				continue
			}
			if _, _, ok := f.follows(l, a); ok && !region(l, e) {
				return a
			}
		}
	}
	return nil
}

func endsIn(p *path, s step) bool {
	n := len(p.steps)
	return n > 0 && p.steps[n-1].field == s.field
}

// contention: the same lock in two goroutines, where order may matter.
func (f *finder) contention() {
	pairs := map[string]int{}
	locks := f.byOp[opLock]
	locks = locks[:min(len(locks), 100)]
	for i, x := range locks {
		for _, y := range locks[i:] {
			b := x.path.bucket()
			if b == "" || pairs[b] >= 3 || mayAlias(x.path, y.path) == never || !f.en.parallel(x, y) {
				continue
			}
			pairs[b]++
			f.add(&candidate{kind: Contention, x: x, y: y, what: x.path.short(), group: b + "contention", score: 0.15,
				why: "two goroutines take the same lock; who is first may decide"})
		}
	}
}
