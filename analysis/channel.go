package analysis

import (
	"go/constant"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// channels: a close that another close, or a send, may meet.
func (f *finder) channels() {
	closes := f.byOp[opClose]
	for i, x := range closes {
		for _, y := range closes[i:] {
			if mayAlias(x.path, y.path) > never && f.common(x, y) == nil && f.en.parallel(x, y) && !f.handedOut(x, y) {
				f.add(&candidate{kind: Channel, x: x, y: y, what: x.path.words(), group: x.path.bucket() + "close",
					score: 0.62 + 0.3*mayAlias(x.path, y.path) - f.final(x), why: "two goroutines may both close it; the second close panics"})
			}
		}
		for _, s := range f.byOp[opSend] {
			if mayAlias(x.path, s.path) == never || !f.en.parallel(x, s) {
				continue
			}
			c := &candidate{kind: Channel, x: s, y: x, what: x.path.words(), group: x.path.bucket() + "send",
				score: 0.55 + 0.3*mayAlias(x.path, s.path) - f.final(x), why: "a send after the close panics, and nothing orders the two"}
			if f.common(x, s) != nil {
				c.score -= 0.4
				c.why = "a send after the close panics; the common lock does not order the two"
			}
			f.add(c)
		}
	}
}

// final is what is taken off where the close is in a library's method Wait,
// which then waits for all that goes on: as that of a sync.WaitGroup, it is
// called when everything was handed in, and once.
func (f *finder) final(c *event) float64 {
	if !f.en.callers || !strings.HasPrefix(c.chain.instr.Parent().Name(), "Wait") {
		return 0
	}
	for _, w := range f.byOp[opWaitAll] {
		if _, _, ok := f.follows(c, w); ok {
			return 0.3
		}
	}
	return 0
}

// handedOut reports whether the channel is taken out of a shared place under a lock, or
// atomically, so that one goroutine only gets it.
func (f *finder) handedOut(x, y *event) bool {
	for _, e := range []*event{x, y} {
		for _, name := range f.names { // the last one to leave closes it
			for _, a := range f.buckets[name] {
				if ra, re, ok := f.follows(a, e); ok && a.op == opSwap && f.p.depends(ra, re) == byBranch {
					return true
				}
			}
		}
		for _, r := range f.buckets[e.path.bucket()] {
			if r.op == opSwap {
				return true
			}
		}
	}
	return false
}

// lostMessages: a select that may take the end although a message is there.
func (f *finder) lostMessages() {
	bySelect := map[*ssa.Select][]*event{}
	var order []*ssa.Select
	for _, e := range f.byOp[opReceive] {
		if e.sel == nil {
			continue
		}
		if bySelect[e.sel] == nil {
			order = append(order, e.sel)
		}
		bySelect[e.sel] = append(bySelect[e.sel], e)
	}
	for _, sel := range order {
		for _, quit := range bySelect[sel] {
			for _, data := range bySelect[sel] {
				if quit.path.key != data.path.key && quit.chain == data.chain {
					f.lost(quit, data)
				}
			}
		}
	}
}

func (f *finder) lost(quit, data *event) {
	var end *event
	for _, c := range f.byOp[opClose] {
		if mayAlias(c.path, quit.path) > never && f.en.parallel(c, quit) {
			end = c
		}
	}
	if end == nil {
		return
	}
	size := f.p.capacity(data.path)
	for _, s := range f.byOp[opSend] {
		if mayAlias(s.path, data.path) == never || !f.en.parallel(s, quit) {
			continue
		}
		c := &candidate{kind: Channel, x: s, y: quit, what: data.path.words(), group: data.path.bucket() + "lost",
			score: 0.66, why: "select may take the end although a message is ready; what was sent here is lost then"}
		if size <= 0 {
			c.score = 0.3
			c.why = "once select has taken the end, nobody receives what is sent here"
		}
		if s.sel != nil && len(s.sel.States) > 1 {
			c.score -= 0.25
		}
		if f.drained(data) {
			c.score -= 0.4
		}
		if _, _, waits := f.follows(s, f.receiveAfter(s)); waits && s.chain.spawns() == f.receiveAfter(s).chain.spawns() {
			c.score -= 0.2 // it waits for an answer before it goes on
		}
		f.add(c)
	}
}

// drained reports whether the function of the select receives the messages elsewhere too.
func (f *finder) drained(data *event) bool {
	for _, r := range f.byOp[opReceive] {
		if r.fn == data.fn && r.sel != data.sel && mayAlias(r.path, data.path) > never {
			return true
		}
	}
	return false
}

// receiveAfter is a receive in the function of the send, after it; the send
// itself if there is none.
func (f *finder) receiveAfter(s *event) *event {
	for _, r := range f.byOp[opReceive] {
		if r.fn == s.fn && r.chain.last().instr.Block() == s.chain.last().instr.Block() {
			if _, _, ok := f.follows(s, r); ok {
				return r
			}
		}
	}
	return s
}

// capacity of the channels stored in a place, -1 if it is not known.
func (p *summarizer) capacity(q *path) int {
	if q.base.kind == alloc && len(q.steps) == 0 {
		if m, ok := q.base.ctx.last().instr.(*ssa.MakeChan); ok {
			return sizeOf(m)
		}
	}
	n := len(q.steps)
	if n > 0 && q.steps[n-1].kind == toDeref {
		if size, ok := p.chanSizes[rebuilt(q, n-1).bucket()]; ok {
			return size
		}
	}
	return -1
}

func sizeOf(m *ssa.MakeChan) int {
	c, ok := m.Size.(*ssa.Const)
	if !ok || c.Value == nil {
		return 1 // some size
	}
	n, _ := constant.Int64Val(constant.ToInt(c.Value))
	return int(min(n, 1<<20))
}

// channelStored remembers the size of a channel put into a field or variable.
func (w *walker) channelStored(in *ssa.Store) {
	v := in.Val
	if c, ok := v.(*ssa.ChangeType); ok {
		v = c.X
	}
	m, ok := v.(*ssa.MakeChan)
	if _, isChan := in.Val.Type().Underlying().(*types.Chan); !ok || !isChan {
		return
	}
	for _, q := range w.p.paths(in.Addr) {
		if b := q.bucket(); b != "" {
			w.p.chanSizes[b] = sizeOf(m)
		}
	}
}
