//go:build hocket_overlay

package atomic

import (
	"internal/runtime/sys"
	"unsafe"
)

// Wrappers of Value's methods, as those of package sync: a Value changes in
// several steps, the first of them pinned to the processor, which are one
// operation to the program. The originals make the happens-before edges. What a
// Value holds is recorded as hkContents tells it.

//go:linkname hkNest runtime.hkNest
func hkNest(d int32)

// hkContents is 0 for nil and else the interface's data word, which is the same
// for what was loaded as for what was stored. A nil pointer in an interface is no
// nil: its type's address, made odd, stands for it.
func hkContents(v any) uintptr {
	w := (*efaceWords)(unsafe.Pointer(&v))
	if w.typ != nil && w.data == nil {
		return uintptr(w.typ) | 1
	}
	return uintptr(w.data)
}

func (v *Value) hkEmpty() bool { return (*efaceWords)(unsafe.Pointer(v)).typ == nil }

// hkLooked tells of the accesses of an operation that changed nothing.
func (v *Value) hkLooked(pc uintptr) {
	w := (*efaceWords)(unsafe.Pointer(v))
	hkAtomicAccess(unsafe.Pointer(&w.typ), false, pc)
	if w.typ != nil {
		hkAtomicAccess(unsafe.Pointer(&w.data), false, pc)
	}
}

// hkChanged tells of the accesses of an operation that changed v, and releases
// what the original released once more: those that observe the operation follow
// its accesses too.
func (v *Value) hkChanged(wasEmpty bool, pc uintptr) {
	w := (*efaceWords)(unsafe.Pointer(v))
	hkAtomicAccess(unsafe.Pointer(&w.typ), wasEmpty, pc)
	hkAtomicAccess(unsafe.Pointer(&w.data), true, pc)
	if wasEmpty {
		hkReleaseMerge(unsafe.Pointer(&w.typ))
	}
	hkReleaseMerge(unsafe.Pointer(&w.data))
}

//go:noinline
func (v *Value) Load() (val any) {
	hkPoint(hkOpAtomicLoad, unsafe.Pointer(v))
	hkNest(1)
	val = v.hkOrigLoad()
	hkNest(-1)
	v.hkLooked(sys.GetCallerPC())
	hkDonePtr(hkOpAtomicLoad, unsafe.Pointer(v), hkContents(val), 0)
	return
}

//go:noinline
func (v *Value) Store(val any) {
	hkPoint(hkOpAtomicStore, unsafe.Pointer(v))
	empty := v.hkEmpty()
	v.hkStore(val)
	v.hkChanged(empty, sys.GetCallerPC())
	hkDonePtr(hkOpAtomicStore, unsafe.Pointer(v), hkContents(val), 0)
}

func (v *Value) hkStore(val any) {
	hkNest(1)
	defer hkNest(-1) // Store panics for nil and for a value of another type
	v.hkOrigStore(val)
}

//go:noinline
func (v *Value) Swap(new any) (old any) {
	hkPoint(hkOpAtomicRMW, unsafe.Pointer(v))
	empty := v.hkEmpty()
	old = v.hkSwap(new)
	v.hkChanged(empty, sys.GetCallerPC())
	hkDonePtr(hkOpAtomicRMW, unsafe.Pointer(v), hkContents(new), hkContents(old))
	return
}

func (v *Value) hkSwap(new any) any {
	hkNest(1)
	defer hkNest(-1)
	return v.hkOrigSwap(new)
}

// CompareAndSwap compares as == does, not by what is recorded: what it expects to
// find is not noted.
//
//go:noinline
func (v *Value) CompareAndSwap(old, new any) (swapped bool) {
	hkPoint(hkOpAtomicCAS, unsafe.Pointer(v))
	empty := v.hkEmpty()
	if swapped = v.hkCompareAndSwap(old, new); swapped {
		v.hkChanged(empty, sys.GetCallerPC())
	} else {
		v.hkLooked(sys.GetCallerPC())
	}
	hkDone(hkOpAtomicCAS, unsafe.Pointer(v), hkBool(swapped), uint64(hkContents(v.v)))
	return
}

func (v *Value) hkCompareAndSwap(old, new any) bool {
	hkNest(1)
	defer hkNest(-1)
	return v.hkOrigCompareAndSwap(old, new)
}
