package trace

import (
	"fmt"
	"math"
	"strconv"

	"github.com/hocket-dev/hocket/engine/rt"
)

// values cuts the eight bytes that the hooks took to the element's size and
// turns the value before each write into the value after it: what the next
// access of the element finds, unless an unrecorded write came between.
func (d *decoder) values() {
	events := d.t.Events
	covered := newStamps(append([]uint64(nil), d.addrs...)) // range writes
	pending := map[ObjID]int{}                              // a write whose value is not known yet
	weak := d.v.word(rt.WMemory) != rt.MemorySC             // others may find what was there before
	for i := range events {
		e := &events[i]
		switch e.Op {
		case OpWriteRange:
			covered.set(d.addrs[i], e.Aux, i)
			continue
		case OpRead, OpWrite:
		case OpAtomicLoad:
		case OpAtomicOld:
			d.mask(e)
			continue
		case OpAtomicStore, OpAtomicRMW, OpAtomicCAS:
			delete(pending, e.Obj)
			d.mask(e)
			continue
		default:
			continue
		}
		d.mask(e)
		if w, ok := pending[e.Obj]; ok && e.HasValue && covered.get(d.addrs[i]) < w && !(weak && events[w].G != e.G) {
			events[w].Value, events[w].HasValue = e.Value, true
		}
		delete(pending, e.Obj)
		if e.Op == OpWrite && !d.stored[i] {
			pending[e.Obj] = i
			e.Value, e.HasValue = 0, false
		}
	}
}

func (d *decoder) mask(e *Event) {
	switch size := d.t.Objects[e.Obj].Size; {
	case !e.HasValue || size <= 0 || size >= 8:
	case e.Op == OpAtomicCAS:
		e.Aux &= 1<<(8*size) - 1
	case e.Op == OpAtomicRMW:
		e.Aux &= 1<<(8*size) - 1
		fallthrough
	default:
		e.Value &= 1<<(8*size) - 1
	}
}

// FormatValue formats an event's value as Go would print it, by the element's
// kind; "" if there is none or it is too large to be recorded.
func (t *Trace) FormatValue(e Event) string {
	if !e.HasValue {
		return ""
	}
	switch e.Op {
	case OpRead, OpWrite, OpAtomicLoad, OpAtomicStore, OpAtomicRMW:
		return formatAs(t.Object(e.Obj), e.Value)
	case OpTryLock, OpTryRLock:
		return choose(e.Value == 1, "acquired", "failed")
	case OpAtomicCAS:
		return choose(e.Value == 1, "swapped", "failed")
	case OpOnceDo:
		return choose(e.Value == 1, "ran", "")
	case OpSend:
		return choose(e.Value == 1, "", "not ready")
	case OpRecv:
		switch e.Value {
		case 1:
			return ""
		case 2:
			return "closed"
		}
		return "not ready"
	case OpSelect:
		if int64(e.Value) == -1 {
			return "default"
		}
		return "case " + strconv.FormatInt(int64(e.Value), 10)
	case OpWGAdd, OpWGDone, OpExit:
		return strconv.FormatInt(int64(e.Value), 10)
	}
	return ""
}

func choose(c bool, yes, no string) string {
	if c {
		return yes
	}
	return no
}

func formatAs(o Object, v uint64) string {
	switch o.Elem {
	case "bool":
		return strconv.FormatBool(v&0xff != 0)
	case "int", "int64":
		return strconv.FormatInt(int64(v), 10)
	case "int32":
		return strconv.FormatInt(int64(int32(v)), 10)
	case "int16":
		return strconv.FormatInt(int64(int16(v)), 10)
	case "int8":
		return strconv.FormatInt(int64(int8(v)), 10)
	case "uint", "uint8", "uint16", "uint32", "uint64", "uintptr":
		return strconv.FormatUint(v, 10)
	case "float64":
		return strconv.FormatFloat(math.Float64frombits(v), 'g', -1, 64)
	case "float32":
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(v))), 'g', -1, 32)
	case "ptr", "chan", "func", "map", "slice", "interface", "unsafe.Pointer":
		return choose(v == 0, "nil", "non-nil")
	case "string", "struct", "array", "complex64", "complex128", MapHeader:
		return ""
	}
	return formatUnknown(v)
}

// formatUnknown formats the eight bytes of an element of unknown type, which
// may include its neighbours.
func formatUnknown(v uint64) string {
	switch {
	case int64(v) >= -1<<31 && int64(v) < 1<<32:
		return strconv.FormatInt(int64(v), 10)
	case v>>32 >= 0xc0 && v>>32 < 0xd0: // Go's heap starts at 0xc000000000
		return "non-nil"
	}
	return fmt.Sprintf("%#x", v)
}
