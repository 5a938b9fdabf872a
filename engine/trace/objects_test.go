package trace

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDecodeObjects(t *testing.T) {
	tr := decode(t, twoWorkers())
	type obj struct{ name, show, typ string }
	got := []obj{}
	for _, o := range tr.Objects[1:] {
		got = append(got, obj{o.Name, o.Var, o.Type})
	}
	want := []obj{
		{"alloc:0:ex.com/m.newCell:cell.go:12#1+0", "cell.mu", "sync.Mutex"},
		{"alloc:0:ex.com/m.newCell:cell.go:12#1+8", "cell.n", "int32"},
		{"ex.com/m.total+8", "total.sum", "int"},
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(obj{})); d != "" {
		t.Error(d)
	}
}

func TestDecodeReusedMemoryIsAnotherObject(t *testing.T) {
	r := newRunFile()
	made := r.stack(pcNew)
	r.goroutine(100, 0, 0, 0, 0)
	for range 2 {
		r.alloc(addrMu, 16, testText+0x99, made, 1)
		r.event(1, OpWrite, addrN, made, 0, 1)
		r.event(1, OpRead, addrN, made, 5, 1)
	}
	r.alloc(0xc000020000, 16, 0, made, 1) // covers no event
	tr := decode(t, r)
	if len(tr.Objects) != 3 || tr.Events[0].Obj == tr.Events[2].Obj || tr.Events[0].Obj != tr.Events[1].Obj {
		t.Fatalf("objects %+v", tr.Objects)
	}
	if a, b := tr.Objects[1].Name, tr.Objects[2].Name; a != "alloc:0:ex.com/m.newCell:cell.go:12#1+8" || b != "alloc:0:ex.com/m.newCell:cell.go:12#2+8" {
		t.Errorf("names %q and %q", a, b)
	}
}

func TestDecodeVars(t *testing.T) {
	names := testNames
	names.types = map[TypeReq]TypeInfo{
		{1, 24, 0}: {"int", 8, 3, "", "int", 8, "int"},
		{2, 0, 0}:  {"int", 8, 0, "", "int", 8, "int"},
		{3, 0, 0}:  {"chan int", 96, 0, "", "chan int", 8, "chan"},
		{4, 8, 0}:  {"struct { a int; b int }", 16, 0, ".b", "int", 8, "int"},
	}
	names.locals = map[string][]Local{"/m/main.go:30": {{"n", "int", 8}, {"done", "bool", 1}}}
	tests := []struct {
		typ, size, off uint64
		pc             uint64
		op             Op
		want           string
	}{
		{1, 80, 24, pcNew, OpRead, "[]int element 3"},
		{2, 8, 0, pcGo, OpRead, "n"},
		{2, 8, 0, pcNew, OpRead, "int (cell.go:12)"},
		{3, 96, 0, pcGo, OpSend, "chan int (main.go:30)"},
		{7, 96, 0, pcGo, OpSend, "chan (main.go:30)"},
		{4, 16, 8, pcNew, OpRead, "struct.b (cell.go:12)"},
		{8, 32, 8, pcNew, OpRead, "memory+8 (cell.go:12)"},
	}
	for _, tt := range tests {
		r := newRunFile()
		r.goroutine(100, 0, 0, 0, 0)
		r.alloc(addrMu, tt.size, testText+tt.typ, r.stack(tt.pc), 1)
		r.event(1, tt.op, addrMu+tt.off, r.stack(pcGo), nil, 0)
		tr, err := Decode(r.bytes(), names, DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := tr.Objects[1].Var; got != tt.want {
			t.Errorf("type %d at %d: %q, want %q", tt.typ, tt.off, got, tt.want)
		}
	}
}

// Memory goes by the name of the field or variable that points to it.
func TestDecodeVarsByHolder(t *testing.T) {
	const addrHolder, addrHeld = 0xc000030000, 0xc000040000
	tests := []struct {
		holder     TypeInfo
		held       TypeInfo
		size, off  uint64
		op         Op
		want, typ  string
		wantFormat string // of the value 0x10001
	}{
		{TypeInfo{"m.queue", 40, 0, ".items", "[]int", 24, "slice"}, TypeInfo{}, 64, 24, OpRead, "queue.items[3]", "int", "65537"},
		{TypeInfo{"m.queue", 40, 0, ".flags", "[]uint8", 24, "slice"}, TypeInfo{}, 8, 3, OpRead, "queue.flags[3]", "uint8", "1"},
		{TypeInfo{"m.queue", 40, 0, ".jobs", "chan int", 8, "chan"}, TypeInfo{}, 96, 0, OpClose, "queue.jobs", "chan int", ""},
		{TypeInfo{"m.queue", 40, 0, ".ready", "*sync.Cond", 8, "ptr"}, TypeInfo{"sync.Cond", 56, 0, "", "sync.Cond", 56, "struct"}, 56, 0, OpSignal, "queue.ready", "sync.Cond", ""},
		{TypeInfo{"m.queue", 40, 0, ".count", "*int", 8, "ptr"}, TypeInfo{"int", 8, 0, "", "int", 8, "int"}, 8, 0, OpRead, "*queue.count", "int", "65537"},
		{TypeInfo{"m.queue", 40, 0, ".cells", "[]m.cell", 24, "slice"}, TypeInfo{"m.cell", 16, 2, ".n", "int32", 4, "int32"}, 64, 40, OpRead, "queue.cells[2].n", "int32", "65537"},
		{TypeInfo{"m.queue", 40, 0, ".first", "*m.cell", 8, "ptr"}, TypeInfo{"m.cell", 16, 0, ".n", "int32", 4, "int32"}, 16, 8, OpRead, "cell.n", "int32", "65537"},
		{TypeInfo{"m.queue", 40, 0, ".sum", "int", 8, "int"}, TypeInfo{"int", 8, 0, "", "int", 8, "int"}, 8, 0, OpRead, "int (cell.go:12)", "int", "65537"},
	}
	for _, tt := range tests {
		names := testNames
		names.types = map[TypeReq]TypeInfo{{1, 8, 0}: tt.holder, {2, tt.off, 0}: tt.held}
		r := newRunFile()
		r.goroutine(100, 0, 0, 0, 0)
		made, used := r.stack(pcNew), r.stack(pcGo)
		r.alloc(addrHolder, 40, testText+1, made, 1)
		r.alloc(addrHeld, tt.size, testText+2, made, 1)
		r.event(1, OpRead, addrHolder+8, used, addrHeld, 1)
		r.event(1, tt.op, addrHeld+tt.off, used, 0x10001, 1)
		tr, err := Decode(r.bytes(), names, DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		e := tr.Events[1]
		if o := tr.Object(e.Obj); o.Var != tt.want || o.Type != tt.typ {
			t.Errorf("%s: %q of type %q, want %q of %q", tt.holder.Path, o.Var, o.Type, tt.want, tt.typ)
		}
		if got := tr.FormatValue(e); got != tt.wantFormat {
			t.Errorf("%s: value %q, want %q", tt.holder.Path, got, tt.wantFormat)
		}
	}
}
