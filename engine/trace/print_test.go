package trace

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s differs (-update rewrites it):\n%s", file, d)
	}
}

func TestPrintGolden(t *testing.T) {
	var out bytes.Buffer
	if err := Print(&out, decode(t, twoWorkers())); err != nil {
		t.Fatal(err)
	}
	golden(t, "workers", out.Bytes())
}

func TestPrintScheduleGolden(t *testing.T) {
	s := Schedule{
		Segments:   []Segment{{G: 100, Until: 3}, {G: 101, Until: 1<<32 - 1}, {G: 7, Until: 2, Await: true}},
		Choices:    []Choice{{G: 101, Count: 5, Case: 1}},
		SelectSeed: 4, ClockStep: 200, Procs: 2,
		Hot: []string{"runtime.racewrite#1/2,1/5 ex.com/m.(*cell).get+3"},
	}
	var out bytes.Buffer
	if err := PrintSchedule(&out, s, decode(t, twoWorkers())); err != nil {
		t.Fatal(err)
	}
	golden(t, "schedule", out.Bytes())
}

func TestFormatValue(t *testing.T) {
	tests := []struct {
		elem string
		op   Op
		v    uint64
		want string
	}{
		{"bool", OpRead, 1, "true"}, {"bool", OpRead, 0x100, "false"},
		{"int", OpRead, ^uint64(0), "-1"}, {"int32", OpWrite, 0xffffffff, "-1"}, {"int8", OpRead, 0x80, "-128"},
		{"int16", OpRead, 0xfffe, "-2"}, {"uint8", OpRead, 200, "200"}, {"uint64", OpAtomicLoad, ^uint64(0), "18446744073709551615"},
		{"float64", OpRead, 0x3ff8000000000000, "1.5"}, {"float32", OpRead, 0x3fc00000, "1.5"},
		{"ptr", OpRead, 0, "nil"}, {"map", OpWrite, 0xc000012340, "non-nil"}, {"string", OpRead, 5, ""},
		{"", OpRead, 7, "7"}, {"", OpRead, 0xc000012340, "non-nil"}, {"", OpRead, 1 << 60, "0x1000000000000000"},
		{"int", OpAtomicCAS, 1, "swapped"}, {"", OpTryLock, 0, "failed"}, {"", OpRecv, 2, "closed"},
		{"", OpSelect, ^uint64(0), "default"}, {"", OpSelect, 2, "case 2"}, {"", OpWGDone, ^uint64(0), "-1"}, {"", OpLock, 3, ""},
	}
	for _, tt := range tests {
		tr := &Trace{Objects: []Object{{}, {ID: 1, Elem: tt.elem}}}
		if got := tr.FormatValue(Event{Op: tt.op, Obj: 1, Value: tt.v, HasValue: true}); got != tt.want {
			t.Errorf("%s %v %#x: %q, want %q", tt.elem, tt.op, tt.v, got, tt.want)
		}
	}
	if got := (&Trace{}).FormatValue(Event{Op: OpRead, Value: 3}); got != "" {
		t.Errorf("no value: %q", got)
	}
}
