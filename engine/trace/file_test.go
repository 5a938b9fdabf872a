package trace

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"
)

// The format takes any values, also references that lead nowhere.
func TestFileRoundTrip(t *testing.T) {
	traces := rapid.Make[Trace]()
	rapid.Check(t, func(t *rapid.T) {
		tr := traces.Draw(t, "trace")
		roundTrip(t, &tr)
	})
}

func TestFileRoundTripOfARun(t *testing.T) {
	roundTrip(t, decode(t, twoWorkers()))
}

func roundTrip(t interface{ Fatal(...any) }, want *Trace) {
	var buf bytes.Buffer
	if err := Write(&buf, want); err != nil {
		t.Fatal(err)
	}
	got, err := Read(&buf)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Fatal(d)
	}
}

// Findings are kept for long: the versions before are read, too.
func TestReadVersion2(t *testing.T) {
	want := decode(t, twoWorkers())
	want.Sites = make([]string, len(want.Sites)) // it had program counters
	c := &coder{writing: true, version: 2, strNo: map[string]uint64{}}
	old := *want
	old.Version = 2
	layout(c, &old)
	want.Sites = nil
	got, err := unpack(compress(c.buf), 2)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Fatal(d)
	}
	roundTrip(t, got)
}

func TestReadVersion5(t *testing.T) {
	want := decode(t, twoWorkers())
	old := *want
	old.Version, old.Schedule.Steps, old.Outcome.Cut = 5, 7, true // which it had no room for
	c := &coder{writing: true, version: 5, strNo: map[string]uint64{}}
	layout(c, &old)
	got, err := unpack(compress(c.buf), 5)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Fatal(d)
	}
}

// linesOfThen are the hot places of testdata/version3.trace and schedule1.json,
// which the last Hocket without sites wrote.
var linesOfThen = []string{"line#1/1,1/1 acct.go+10", "line#1/1,1/1 acct.go+7"}

func TestReadVersion3(t *testing.T) {
	f, err := os.Open("testdata/version3.trace")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(got); err != nil {
		t.Error(err)
	}
	if d := cmp.Diff(linesOfThen, got.Schedule.Hot); d != "" {
		t.Error(d)
	}
	if len(got.Sites) != len(got.Stacks) || len(got.Schedule.Segments) == 0 {
		t.Errorf("%d sites of %d stacks, %d segments", len(got.Sites), len(got.Stacks), len(got.Schedule.Segments))
	}
	roundTrip(t, got)
}

func compress(b []byte) []byte {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	defer z.Close()
	return z.EncodeAll(b, nil)
}

func TestReadRejects(t *testing.T) {
	var buf bytes.Buffer
	if err := Write(&buf, decode(t, twoWorkers())); err != nil {
		t.Fatal(err)
	}
	whole := buf.Bytes()
	change := func(at int) []byte {
		b := bytes.Clone(whole)
		b[at]++
		return b
	}
	tests := []struct {
		name string
		data []byte
		want error
	}{
		{"empty", nil, ErrNotTrace},
		{"other file", []byte("not a trace file, but long enough"), ErrNotTrace},
		{"newer", change(len(fileMagic)), ErrVersion},
		{"bad sum", change(len(fileMagic) + 4), ErrCorrupt},
		{"bad body", change(len(whole) - 1), ErrCorrupt},
		{"cut off", whole[:len(whole)-1], ErrCorrupt},
		{"header only", whole[:headerSize], ErrCorrupt},
		{"huge", change(headerSize - 1), ErrCorrupt},
	}
	for _, tt := range tests {
		if tr, err := Read(bytes.NewReader(tt.data)); !errors.Is(err, tt.want) || tr != nil {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	var buf bytes.Buffer
	if err := Write(&buf, &Trace{Version: Version, Events: []Event{{Op: OpStart}}}); err != nil {
		f.Fatal(err)
	}
	f.Add(buf.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		tr, err := Read(bytes.NewReader(data))
		if err == nil {
			roundTrip(t, tr)
		}
	})
}

// FuzzLayout feeds the uncompressed body, which a sum protects in a file.
func FuzzLayout(f *testing.F) {
	c := &coder{writing: true, version: Version, strNo: map[string]uint64{}}
	seed := Trace{Version: Version, Stacks: [][]Frame{nil, {{Func: "main.f", File: "f.go", Line: 3}}}, Events: []Event{{Op: OpStart}, {Seq: 1, Op: OpEnd}}}
	layout(c, &seed)
	f.Add(c.buf)
	f.Fuzz(func(t *testing.T, data []byte) {
		c := &coder{buf: data, version: Version}
		var tr Trace
		layout(c, &tr)
		if c.err == nil {
			roundTrip(t, &tr)
		}
	})
}
