//go:build hocket_overlay

package fmt

import (
	"internal/race"
	"reflect"
	"unsafe"
)

// What a printer reads of the program's memory: fmt and reflect are compiled
// without hooks, since almost all that they do concerns nobody else.

// hkReadBytes notes that b is read.
func hkReadBytes(b []byte) {
	if len(b) > 0 {
		race.ReadRange(unsafe.Pointer(unsafe.SliceData(b)), len(b))
	}
}

// hkReadElements notes that the elements of a slice are read; an array lies in
// memory that was noted before, or in a copy.
func hkReadElements(v reflect.Value) {
	if v.Kind() != reflect.Slice || v.Len() == 0 {
		return
	}
	if n := v.Len() * int(v.Type().Elem().Size()); n > 0 {
		race.ReadRange(v.UnsafePointer(), n)
	}
}

// hkReadPointee notes that what a pointer points to is read.
func hkReadPointee(v reflect.Value) {
	if n := int(v.Type().Elem().Size()); n > 0 {
		race.ReadRange(v.UnsafePointer(), n)
	}
}
