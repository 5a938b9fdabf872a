package tracedb

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"time"
)

// FuzzBlock decodes blocks whose checksums are right but whose content is not: what
// can be read is written and read again the same.
func FuzzBlock(f *testing.F) {
	p := &Program{Package: "a", Entry: "T", Mode: "paths", Content: "c"}
	runs := []*Run{
		{Program: p, Time: time.Unix(3, 4).UTC(), Outcome: Passed, Threads: []Thread{{"0", "", []uint64{1, 2, 3}}, {"0.1", "x", []uint64{1, 2, 9}}}},
		{Program: p, Machine: "m", Outcome: "panic", Failure: "boom", Torn: true, Seed: 7, Threads: []Thread{{"0", "", []uint64{1, 2, 3}}}},
	}
	f.Add(encodeBlock(0, runs))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := decodeBlock(b, []*Program{p})
		if err != nil {
			return
		}
		again, err := decodeBlock(encodeBlock(0, got), []*Program{p})
		if err != nil || !slices.EqualFunc(got, again, func(a, b *Run) bool { return a.ID() == b.ID() }) {
			t.Errorf("%v, then %v (%v)", got, again, err)
		}
	})
}

// The number of goroutines in a block is not trusted: so much memory is not taken.
func TestTooManyGoroutines(t *testing.T) {
	p := &Program{Package: "a", Entry: "T", Mode: "paths", Content: "c"}
	b := encodeBlock(0, []*Run{{Program: p, Outcome: Passed}})
	b = b[:len(b)-1] // no goroutines
	b = append(binary.AppendUvarint(b, maxThreads+1), make([]byte, maxThreads+1)...)
	if _, err := decodeBlock(b, []*Program{p}); err == nil || !strings.Contains(err.Error(), "goroutines; at most") {
		t.Error(err)
	}
}
