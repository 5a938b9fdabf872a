package projection

import (
	"testing"

	"github.com/hocket-dev/hocket/engine/trace"
)

func TestFormat(t *testing.T) {
	for _, tt := range []struct {
		v         uint64
		elem, typ string
		want      string
	}{
		{0, "ptr", "*m.conn", "nil"},
		{0xc000012340, "ptr", "*m.conn", "&conn{...}"},
		{0xc000012340, "ptr", "*m.list[int]", "&list{...}"},
		{0xc000012340, "ptr", "atomic.Pointer[m.conf]", "&conf{...}"},
		{0xc000012340, "ptr", "*int", ""},
		{0, "", "atomic.Value", "nil"},
		{0xc8, "slice", "[]int", ""},
		{0, "slice", "[]int", "nil"},
		{0, "interface", "error", "nil"},
		{0, "", "error", "nil"},
		{0, "string", "string", `""`},
		{0x55, "string", "string", ""},
		{200, "int8", "int8", "-56"},
		{200, "", "m.unknown", ""},
		{1, "bool", "m.flag", "true"},
		{0x4000000000000000, "float64", "float64", "2"},
		{5, "", "atomic.Int64", "5"},
	} {
		o := &trace.Object{Elem: tt.elem, Type: tt.typ}
		size := 8
		if tt.elem == "int8" {
			size = 1
		}
		if got := format(tt.v, kindOf(o), tt.typ, size); got != tt.want {
			t.Errorf("%#x of %s %s: %q, want %q", tt.v, tt.elem, tt.typ, got, tt.want)
		}
	}
}

// A plain access whose size is not known is recorded as one of one byte.
func TestValueOfUnknownSize(t *testing.T) {
	for _, tt := range []struct {
		aux, v uint64
		kind   string
		size   int
		want   string
	}{
		{1, 200, "int", 8, "200"},
		{1, 200, "int", 0, "200"},
		{1, 200, "int8", 1, "-56"},
		{1, 0xff01, "uint8", 0, "1"},
		{4, 0x1_0000_0005, "int32", 8, "5"},
	} {
		e, o := &trace.Event{Op: trace.OpRead, Aux: tt.aux}, &trace.Object{Elem: tt.kind, Size: tt.size}
		if got := format(tt.v, kindOf(o), tt.kind, valueSize(e, o)); got != tt.want {
			t.Errorf("%#x of %s, %d bytes, an access of %d: %s, want %s", tt.v, tt.kind, tt.size, tt.aux, got, tt.want)
		}
	}
}
