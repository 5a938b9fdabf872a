//go:build hocket_overlay

package atomic

import "unsafe"

// The operations of Value, each as one. It has a stripe of its own: contexts have two
// Values each, and are made all the time. What panics does so before it begins: no
// goroutine may panic in between.

type hkStripe struct{ lock, own, n, _ uint32 }

//go:linkname hkBeginAt runtime.hkBeginAt
//go:noescape
func hkBeginAt(s unsafe.Pointer) unsafe.Pointer

func (v *Value) hkBegin() unsafe.Pointer {
	if hkFollows {
		hkGate(hkKindValue)
	}
	return hkBeginAt(unsafe.Pointer(&v.hk))
}

// hkFits reports whether a value of x's type may be stored.
func (v *Value) hkFits(x any) bool {
	have := v.hkOrigLoad()
	return x != nil && (have == nil || (*efaceWords)(unsafe.Pointer(&have)).typ == (*efaceWords)(unsafe.Pointer(&x)).typ)
}

func (v *Value) Load() (val any) {
	s := v.hkBegin()
	val = v.hkOrigLoad()
	hkEnd(s, hkKindValue)
	return
}

func (v *Value) Store(val any) {
	if !v.hkFits(val) {
		v.hkOrigStore(val)
		return
	}
	s := v.hkBegin()
	v.hkOrigStore(val)
	hkEnd(s, hkKindValue)
}

func (v *Value) Swap(new any) (old any) {
	if !v.hkFits(new) {
		return v.hkOrigSwap(new)
	}
	s := v.hkBegin()
	old = v.hkOrigSwap(new)
	hkEnd(s, hkKindValue)
	return
}

func (v *Value) CompareAndSwap(old, new any) (swapped bool) {
	if !v.hkFits(new) || old != nil && !v.hkFits(old) || old != old {
		return v.hkOrigCompareAndSwap(old, new)
	}
	s := v.hkBegin()
	swapped = v.hkOrigCompareAndSwap(old, new)
	hkEnd(s, hkKindValue)
	return
}
