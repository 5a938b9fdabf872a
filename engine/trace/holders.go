package trace

import "sort"

// heldBy finds, for the allocations of objs, a variable or field whose value
// was seen to be their address: the first one, a variable or field of a named
// struct before anything else.
func (d *decoder) heldBy(objs []heapObj) map[int]ObjID {
	made := map[uint64][]int{} // allocations by address, in order
	has := map[int]bool{}
	for _, o := range objs {
		if has[o.alloc] {
			continue
		}
		has[o.alloc] = true
		addr := d.allocs[o.alloc].addr
		made[addr] = append(made[addr], o.alloc)
	}
	for _, as := range made {
		sort.Ints(as)
	}
	good := map[ObjID]bool{}
	for _, o := range objs {
		good[o.obj.ID] = isNamedStruct(o.info.Root) && o.info.Path != ""
	}
	out := map[int]ObjID{}
	for i, e := range d.t.Events {
		if !e.HasValue || !isHolderOp(e.Op) || made[e.Value] == nil {
			continue
		}
		h := d.t.Objects[e.Obj]
		a, ok := d.latest(made[e.Value], i)
		if !ok || !isPointerKind(h.Elem) {
			continue
		}
		good[e.Obj] = good[e.Obj] || h.Kind == ObjGlobal
		if old, ok := out[a]; !ok || !good[old] && good[e.Obj] {
			out[a] = e.Obj
		}
	}
	return out
}

// latest picks the allocation that was last made before event seq.
func (d *decoder) latest(as []int, seq int) (int, bool) {
	k := sort.Search(len(as), func(k int) bool { return d.allocs[as[k]].at > seq })
	if k == 0 {
		return 0, false
	}
	return as[k-1], true
}

// isHolderOp reports whether the recorded value of an operation is the value
// found or stored there.
func isHolderOp(op Op) bool {
	switch op {
	case OpRead, OpWrite, OpAtomicLoad, OpAtomicStore, OpAtomicRMW:
		return true
	}
	return false
}

func isPointerKind(kind string) bool {
	switch kind {
	case "ptr", "slice", "chan", "map", "unsafe.Pointer":
		return true
	}
	return false
}

// escaped finds the names of local variables that were allocated where they
// are declared. Several of one type on a line stay unnamed.
func (d *decoder) escaped(objs []heapObj) {
	var idx []int
	var sites []Frame
	for i, o := range objs {
		fs := d.t.Stack(o.obj.Alloc)
		if o.isChan || o.several() || len(fs) == 0 || o.info.Root == "" {
			continue
		}
		idx = append(idx, i)
		sites = append(sites, fs[0])
	}
	if len(idx) == 0 {
		return
	}
	locals, err := d.sym.Escaped(sites)
	d.fail("name local variables", err)
	for k, ls := range locals {
		objs[idx[k]].local = matchLocal(ls, objs[idx[k]].info)
	}
}

func matchLocal(ls []Local, info TypeInfo) string {
	name := ""
	for _, l := range ls {
		if uint64(l.Size) != info.RootSize || l.Type != "" && shortType(l.Type) != shortType(info.Root) {
			continue
		}
		if name != "" && name != l.Name {
			return ""
		}
		name = l.Name
	}
	return name
}
