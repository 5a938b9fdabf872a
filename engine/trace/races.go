package trace

import "github.com/hocket-dev/hocket/engine/rt"

// races finds the two events of each race where the trace has them. The
// detector knows the whole stack of the second access only; that of the first
// comes from its event, or else is a single frame.
func (d *decoder) races() {
	b := d.v.section(rt.WRaceOff, rt.RaceSize)
	if len(b) == 0 {
		return
	}
	var pcs []uint64
	for r := b; len(r) > 0; r = r[rt.RaceSize:] {
		pcs = append(pcs, u64(r, 16), u64(r, 24))
	}
	frames := d.framesOf(pcs)
	for ; len(b) > 0; b = b[rt.RaceSize:] {
		at := d.seq(u64(b, 40))
		flags := u32(b, 36)
		r := Race{
			Obj:    d.objectAt(u64(b, 0), at),
			First:  Access{G: d.gid(u32(b, 8)), Write: flags&1 != 0, Seq: -1},
			Second: Access{G: d.gid(u32(b, 12)), Write: flags&2 != 0, Seq: -1, Stack: d.stackIDs[rawStack(u32(b, 32))]},
		}
		d.findAccess(&r.Second, at+1, u64(b, 0), u64(b, 24), frames)
		before := at
		if r.Second.Seq >= 0 {
			before = r.Second.Seq
		}
		d.findAccess(&r.First, before, u64(b, 0), u64(b, 16), frames)
		r.Obj = d.raceObj(r)
		d.t.Races = append(d.t.Races, r)
	}
}

func (d *decoder) raceObj(r Race) ObjID {
	for _, a := range []Access{r.Second, r.First} {
		if a.Seq >= 0 {
			return d.t.Events[a.Seq].Obj
		}
	}
	return r.Obj
}

// findAccess looks backwards, from before on, for the latest access by a.G to
// the granule of addr at the place pc.
func (d *decoder) findAccess(a *Access, before int, addr, pc uint64, frames map[uint64][]Frame) {
	const far = 1 << 16 // events to look back: races have witnesses nearby
	for i := min(before, len(d.t.Events)) - 1; i >= 0 && i > before-far; i-- {
		e := &d.t.Events[i]
		if e.G != a.G || a.Write != writes(e.Op) || !touches(e, d.addrs[i], addr) {
			continue
		}
		if id := e.Stack; d.samePlace(id, pc, frames[pc]) {
			a.Seq = i
			if a.Stack == 0 {
				a.Stack = id
			}
			return
		}
	}
	if a.Stack == 0 {
		a.Stack = d.singleFrame(pc, frames[pc])
	}
}

// samePlace reports whether the stack's innermost frame is at pc or on its
// line.
func (d *decoder) samePlace(id StackID, pc uint64, at []Frame) bool {
	fs := d.t.Stack(id)
	return d.pcs[id] == pc || len(fs) > 0 && len(at) > 0 && fs[0] == d.t.cut(at)[0]
}

// singleFrame adds the stack of a place whose callers are unknown.
func (d *decoder) singleFrame(pc uint64, fs []Frame) StackID {
	if len(fs) == 0 {
		return 0
	}
	id := StackID(len(d.t.Stacks))
	d.t.Stacks = append(d.t.Stacks, d.t.cut(fs))
	d.pcs = append(d.pcs, pc)
	return id
}

const granule = 8 // bytes that the detector at least distinguishes

func touches(e *Event, at, addr uint64) bool {
	size := uint64(granule)
	switch e.Op {
	case OpRead, OpWrite, OpAtomicLoad, OpAtomicStore, OpAtomicRMW, OpAtomicCAS:
		return at/granule == addr/granule
	case OpReadRange, OpWriteRange:
		size = max(e.Aux, 1)
	default:
		return false
	}
	return addr/granule >= at/granule && addr/granule <= (at+size-1)/granule
}

// writes reports whether an operation may change plain or atomic memory.
func writes(op Op) bool {
	switch op {
	case OpWrite, OpWriteRange, OpAtomicStore, OpAtomicRMW, OpAtomicCAS:
		return true
	}
	return false
}
