package breakpoints

import (
	"reflect"
	"runtime"
	"sync"
	"unsafe"
)

//go:linkname notifyListAdd sync.runtime_notifyListAdd
func notifyListAdd(l unsafe.Pointer) uint32

//go:linkname notifyListWait sync.runtime_notifyListWait
func notifyListWait(l unsafe.Pointer, t uint32)

// CondWait is a sync.Cond's Wait (given as the method value c.Wait) with a
// point between being woken and taking the lock again, a place that is
// otherwise out of reach inside package sync. If wait is not that method, it
// is just called.
//
//go:norace
func CondWait(point int, wait func()) {
	c := condOf(wait)
	field, ok := reflect.TypeFor[sync.Cond]().FieldByName("notify")
	if playing == nil || c == nil || !ok {
		wait()
		return
	}
	list := unsafe.Add(unsafe.Pointer(c), field.Offset)
	ticket := notifyListAdd(list)
	c.L.Unlock()
	notifyListWait(list, ticket)
	At(point)
	c.L.Lock()
}

// condOf takes the receiver out of a method value: a function value points to
// a code address followed by what it captured.
//
//go:norace
func condOf(wait func()) *sync.Cond {
	closure := *(**struct {
		code uintptr
		recv *sync.Cond
	})(unsafe.Pointer(&wait))
	if closure == nil {
		return nil
	}
	if f := runtime.FuncForPC(closure.code); f == nil || f.Name() != "sync.(*Cond).Wait-fm" {
		return nil
	}
	return closure.recv
}
