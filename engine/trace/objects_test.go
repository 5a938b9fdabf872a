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
		{Type: 1, Offset: 24, Want: 0}: {Root: "int", RootSize: 8, Index: 3, Path: "", Type: "int", Size: 8, Kind: "int"},
		{Type: 2, Offset: 0, Want: 0}:  {Root: "int", RootSize: 8, Index: 0, Path: "", Type: "int", Size: 8, Kind: "int"},
		{Type: 3, Offset: 0, Want: 0}:  {Root: "chan int", RootSize: 96, Index: 0, Path: "", Type: "chan int", Size: 8, Kind: "chan"},
		{Type: 4, Offset: 8, Want: 0}:  {Root: "struct { a int; b int }", RootSize: 16, Index: 0, Path: ".b", Type: "int", Size: 8, Kind: "int"},
	}
	names.locals = map[string][]Local{"/m/main.go:30": {{Name: "n", Type: "int", Size: 8}, {Name: "done", Type: "bool", Size: 1}}}
	tests := []struct {
		typ, size, off uint64
		pc             uint64
		op             Op
		want           string
	}{
		{1, 80, 24, pcNew, OpRead, "element 3 of a []int (cell.go:12)"},
		{2, 8, 0, pcGo, OpRead, "n"},
		{2, 8, 0, pcNew, OpRead, "int (cell.go:12)"},
		{3, 96, 0, pcGo, OpSend, "chan int (main.go:30)"},
		{7, 96, 0, pcGo, OpSend, "chan (main.go:30)"},
		{7, 96, 0, pcGo, OpSelectCase, "chan (main.go:30)"},
		{4, 16, 8, pcNew, OpRead, "struct.b (cell.go:12)"},
		{8, 32, 8, pcNew, OpRead, "variable+8 (cell.go:12)"},
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
		{TypeInfo{Root: "m.queue", RootSize: 40, Index: 0, Path: ".items", Type: "[]int", Size: 24, Kind: "slice"}, TypeInfo{}, 64, 24, OpRead, "queue.items[3]", "int", "65537"},
		{TypeInfo{Root: "m.queue", RootSize: 40, Index: 0, Path: ".flags", Type: "[]uint8", Size: 24, Kind: "slice"}, TypeInfo{}, 8, 3, OpRead, "queue.flags[3]", "uint8", "1"},
		{TypeInfo{Root: "m.queue", RootSize: 40, Index: 0, Path: ".jobs", Type: "chan int", Size: 8, Kind: "chan"}, TypeInfo{}, 96, 0, OpClose, "queue.jobs", "chan int", ""},
		{TypeInfo{Root: "m.queue", RootSize: 40, Index: 0, Path: ".ready", Type: "*sync.Cond", Size: 8, Kind: "ptr"}, TypeInfo{Root: "sync.Cond", RootSize: 56, Index: 0, Path: "", Type: "sync.Cond", Size: 56, Kind: "struct"}, 56, 0, OpSignal, "queue.ready", "sync.Cond", ""},
		{TypeInfo{Root: "m.queue", RootSize: 40, Index: 0, Path: ".count", Type: "*int", Size: 8, Kind: "ptr"}, TypeInfo{Root: "int", RootSize: 8, Index: 0, Path: "", Type: "int", Size: 8, Kind: "int"}, 8, 0, OpRead, "*queue.count", "int", "65537"},
		{TypeInfo{Root: "m.queue", RootSize: 40, Index: 0, Path: ".cells", Type: "[]m.cell", Size: 24, Kind: "slice"}, TypeInfo{Root: "m.cell", RootSize: 16, Index: 2, Path: ".n", Type: "int32", Size: 4, Kind: "int32"}, 64, 40, OpRead, "queue.cells[2].n", "int32", "65537"},
		{TypeInfo{Root: "m.queue", RootSize: 40, Index: 0, Path: ".first", Type: "*m.cell", Size: 8, Kind: "ptr"}, TypeInfo{Root: "m.cell", RootSize: 16, Index: 0, Path: ".n", Type: "int32", Size: 4, Kind: "int32"}, 16, 8, OpRead, "cell.n", "int32", "65537"},
		{TypeInfo{Root: "m.queue", RootSize: 40, Index: 0, Path: ".sum", Type: "int", Size: 8, Kind: "int"}, TypeInfo{Root: "int", RootSize: 8, Index: 0, Path: "", Type: "int", Size: 8, Kind: "int"}, 8, 0, OpRead, "int (cell.go:12)", "int", "65537"},
	}
	for _, tt := range tests {
		names := testNames
		names.types = map[TypeReq]TypeInfo{{Type: 1, Offset: 8, Want: 0}: tt.holder, {Type: 2, Offset: tt.off, Want: 0}: tt.held}
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
