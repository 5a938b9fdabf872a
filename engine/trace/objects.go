package trace

import (
	"fmt"
	"path"

	"github.com/hocket-dev/hocket/engine/image"
	"github.com/hocket-dev/hocket/engine/rt"
)

// alloc is one allocation of the run.
type alloc struct {
	addr, size uint64
	typ        uint64 // type descriptor, 0 unknown
	stack      rawStack
	g          GID
	at         int // index of the first event after it
}

// objKey tells apart objects that had the same address one after the other.
type objKey struct {
	addr  uint64
	alloc int // index in decoder.allocs, -1 = none known
}

// objInfo is what the naming of an object needs besides its Object.
type objInfo struct {
	objKey
	first  int  // index of the first event on it
	isChan bool // a channel operation took place on it
	scalar bool // accessed as a whole by a single load, store or operation
	rng    uint64
}

func (d *decoder) allocations() {
	b := d.v.section(rt.WAllocOff, rt.AllocSize)
	d.allocs = make([]alloc, 0, len(b)/rt.AllocSize)
	for ; len(b) > 0; b = b[rt.AllocSize:] {
		d.allocs = append(d.allocs, alloc{
			addr:  u64(b, 0),
			size:  u64(b, 8),
			typ:   u64(b, 16),
			stack: rawStack(u32(b, 24)),
			g:     d.gid(u32(b, 28)),
			at:    d.seq(u64(b, 32)),
		})
	}
}

// advance makes the allocations made before event seq known to find.
func (d *decoder) advance(seq int) {
	for d.nextAlloc < len(d.allocs) && d.allocs[d.nextAlloc].at <= seq {
		a := d.allocs[d.nextAlloc]
		d.allocAt.set(a.addr, max(a.size, 1), d.nextAlloc)
		d.nextAlloc++
	}
}

// objects gives every address of an event its object: the latest allocation
// before the event that covers it and the offset therein, or a global.
func (d *decoder) objects() {
	d.allocAt = newStamps(append([]uint64(nil), d.addrs...))
	d.objIDs = map[objKey]ObjID{}
	infos := []objInfo{{}}
	for i, addr := range d.addrs {
		if e := d.t.Events[i]; addr == 0 || e.Op == OpBlock && e.Aux == 0 {
			continue // blocked in the runtime's own affairs: the address is an old one
		}
		d.advance(i)
		k := objKey{addr, d.allocAt.get(addr)}
		id, ok := d.objIDs[k]
		if !ok {
			id = ObjID(len(infos))
			d.objIDs[k] = id
			infos = append(infos, objInfo{objKey: k, first: i})
		}
		infos[id].touch(d.t.Events[i])
		d.t.Events[i].Obj = id
	}
	d.t.Objects = make([]Object, len(infos))
	for i := 1; i < len(infos); i++ {
		d.t.Objects[i] = Object{ID: ObjID(i), Addr: infos[i].addr}
	}
	heap := d.nameHeap(infos)
	d.nameGlobals(infos)
	d.showHeap(heap)
	d.nameRest(infos)
}

// touch notes how an event accesses the object, for the choice between a
// struct and its first field, which share their address.
func (o *objInfo) touch(e Event) {
	switch e.Op {
	case OpSend, OpRecv, OpClose, OpSelect, OpSelectCase:
		o.isChan = true
	case OpReadRange, OpWriteRange:
		if o.rng == 0 || e.Aux < o.rng {
			o.rng = e.Aux
		}
	case OpBlock:
		switch Op(e.Aux & 0xffffffff) { // the capacity is above
		case OpSend, OpRecv:
			o.isChan = true
		}
	default:
		o.scalar = true
	}
}

// want is the size to look for below the object's address, 0 for a leaf.
func (o *objInfo) want() uint16 {
	if o.scalar || o.rng == 0 {
		return 0
	}
	return uint16(min(o.rng, 1<<16-1))
}

// nameHeap names the objects inside known allocations, all but Var.
func (d *decoder) nameHeap(infos []objInfo) []heapObj {
	var ids []ObjID
	var reqs []TypeReq
	for i := 1; i < len(infos); i++ {
		if o := &infos[i]; o.alloc >= 0 {
			a := d.allocs[o.alloc]
			ids = append(ids, ObjID(i))
			req := TypeReq{Offset: o.addr - a.addr, Want: o.want()}
			if a.typ != 0 {
				req.Type = a.typ - d.text
			}
			reqs = append(reqs, req)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	types, err := d.sym.Types(reqs)
	d.fail("name types", err)
	if len(types) != len(ids) {
		types = make([]TypeInfo, len(ids))
	}
	counts := d.allocCounts()
	var heap []heapObj
	for i, id := range ids {
		o := &infos[id]
		a := d.allocs[o.alloc]
		obj := &d.t.Objects[id]
		obj.Kind, obj.Alloc, obj.Born = ObjHeap, d.stackIDs[a.stack], a.at
		if o.isChan {
			obj.Kind = ObjChan
		}
		obj.Type, obj.Size, obj.Elem = types[i].Type, types[i].Size, types[i].Kind
		if types[i].Root == "maps.Map" {
			obj.Elem = MapHeader // its number of elements does not say which they are
		}
		obj.Name = fmt.Sprintf("%s#%d+%d", d.allocSite(a), counts[o.alloc], o.addr-a.addr)
		heap = append(heap, heapObj{obj: obj, info: types[i], alloc: o.alloc, size: a.size, offset: o.addr - a.addr, isChan: o.isChan})
	}
	return heap
}

// allocSite is the schedule-independent part of an allocation's name.
func (d *decoder) allocSite(a alloc) string {
	site := "?"
	if fs := d.t.Stack(d.stackIDs[a.stack]); len(fs) > 0 {
		site = fmt.Sprintf("%s:%s:%d", fs[0].Func, path.Base(fs[0].File), fs[0].Line)
	}
	return fmt.Sprintf("alloc:%s:%s", d.t.Goroutine(a.g).Path, site)
}

// allocCounts numbers, from 1, the allocations that one goroutine made at one
// place.
func (d *decoder) allocCounts() []int {
	type at struct {
		g    GID
		site Frame
	}
	seen := map[at]int{}
	counts := make([]int, len(d.allocs))
	for i, a := range d.allocs {
		k := at{g: a.g}
		if fs := d.t.Stack(d.stackIDs[a.stack]); len(fs) > 0 {
			k.site = fs[0]
		}
		seen[k]++
		counts[i] = seen[k]
	}
	return counts
}

// nameGlobals names what lies in package variables.
func (d *decoder) nameGlobals(infos []objInfo) {
	var ids []ObjID
	var reqs []GlobalReq
	for i := 1; i < len(infos); i++ {
		if o := &infos[i]; o.alloc < 0 {
			ids = append(ids, ObjID(i))
			reqs = append(reqs, GlobalReq{Addr: o.addr - d.text, Want: o.want()})
		}
	}
	if len(ids) == 0 {
		return
	}
	globals, err := d.sym.Globals(reqs)
	d.fail("name variables", err)
	for i, g := range globals {
		if g.Symbol == "" {
			continue
		}
		obj := &d.t.Objects[ids[i]]
		obj.Kind = ObjGlobal
		if infos[ids[i]].isChan {
			obj.Kind = ObjChan
		}
		obj.Name = fmt.Sprintf("%s+%d", g.Symbol, g.Offset)
		obj.Type, obj.Size, obj.Elem = g.Type, g.Size, g.Kind
		obj.Var = globalVar(g)
	}
}

// globalVar is a variable's display name.
func globalVar(g GlobalInfo) string {
	_, name := image.SplitFunc(g.Symbol)
	if g.Path == "" && g.Offset > 0 && g.Type == "" {
		return fmt.Sprintf("%s+%d", name, g.Offset)
	}
	return name + g.Path
}

// nameRest names what is neither a variable nor in a recorded allocation, on a
// goroutine's stack for example, after the first event on it. Such names hold
// for one trace.
func (d *decoder) nameRest(infos []objInfo) {
	type at struct {
		g    GID
		site Frame
	}
	seen := map[at]int{}
	for i := 1; i < len(infos); i++ {
		obj := &d.t.Objects[i]
		if obj.Name != "" {
			continue
		}
		e := d.t.Events[infos[i].first]
		f, where := d.t.placeOf(e.Stack)
		k := at{e.G, f}
		seen[k]++
		obj.Name = fmt.Sprintf("local:%s:%s:%s:%d#%d", d.t.Goroutine(e.G).Path, f.Func, path.Base(f.File), f.Line, seen[k])
		if infos[i].isChan {
			obj.Kind = ObjChan
		}
		if obj.Type == "" {
			obj.Type = opType(e.Op, e.Aux)
		}
		obj.Var = obj.Type
		if obj.Var == "" {
			obj.Var = "memory"
		}
		if where != "" {
			obj.Var += " (used in " + where + ")"
		}
	}
}

// placeOf returns the frame by which users know a stack, and "file.go:12".
func (t *Trace) placeOf(id StackID) (Frame, string) {
	f, ok := t.UserFrame(id)
	if fs := t.Stack(id); !ok && len(fs) > 0 {
		f, ok = fs[0], true
	}
	if !ok || f.File == "" {
		return f, ""
	}
	return f, fmt.Sprintf("%s:%d", path.Base(f.File), f.Line)
}

// opType is the type that an operation implies.
func opType(op Op, aux uint64) string {
	switch op {
	case OpLock, OpUnlock, OpTryLock:
		return "sync.Mutex"
	case OpRLock, OpRUnlock, OpTryRLock:
		return "sync.RWMutex"
	case OpWGAdd, OpWGDone, OpWGWait:
		return "sync.WaitGroup"
	case OpCondWait, OpCondWake, OpSignal, OpBroadcast:
		return "sync.Cond"
	case OpOnceDo:
		return "sync.Once"
	case OpMapRead, OpMapWrite:
		return "sync.Map"
	case OpPoolGet, OpPoolPut:
		return "sync.Pool"
	case OpSend, OpRecv, OpClose, OpSelect, OpSelectCase:
		return "chan"
	case OpTimer, OpTimerStop, OpSleep:
		return "timer"
	case OpNetDial, OpNetAccept:
		return "listener"
	case OpNetRead, OpNetWrite:
		return "connection"
	case OpBlock:
		if pending := Op(aux); pending != OpBlock && aux < uint64(NumOps) {
			return opType(pending, 0)
		}
	}
	return ""
}
