package record

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/rt"
)

// logOf is the log that a program would write for a run, in chunks of the smallest size.
func logOf(r *Run) []byte {
	le := binary.LittleEndian
	out := make([]byte, rt.LogHeader)
	for i, v := range map[int]uint64{rt.LMagic: rt.LogMagic, rt.LVersion: rt.RecVersion, rt.LSeed: r.Seed, rt.LCode: 255, rt.LFlags: rt.LogEnded, rt.LExit: 2, rt.LArgs: 4} {
		le.PutUint64(out[i*8:], v)
	}
	copy(out[rt.LogGo:], r.Go)
	copy(out[rt.LogPath:], "example.com/p.test\x00")
	copy(out[rt.LogArgs:], "/tmp/p.test\x00-v\x00\x00last\x00")
	for i := range r.Threads {
		t := &r.Threads[i]
		chunk := make([]byte, rt.ChunkUnit)
		le.PutUint32(chunk, rt.ChunkUnit|1)
		le.PutUint32(chunk[rt.ChunkID:], uint32(i+1))
		le.PutUint32(chunk[rt.ChunkParent:], uint32(t.Parent+1))
		le.PutUint32(chunk[rt.ChunkFired:], t.fired)
		le.PutUint64(chunk[rt.ChunkNth:], t.nth)
		le.PutUint64(chunk[rt.ChunkOps:], t.Ops)
		pos, at, seen := rt.FirstHead, uint64(0), Record{From: -1}
		for j, rec := range t.Records {
			words := wordsOf(rec, at, seen, j%2 == 0)
			if pos+4*len(words) > rt.ChunkUnit {
				out = append(out, chunk...)
				chunk = make([]byte, rt.ChunkUnit)
				le.PutUint32(chunk, rt.ChunkUnit)
				le.PutUint32(chunk[rt.ChunkID:], uint32(i+1))
				pos = rt.ChunkHead
			}
			for _, w := range words {
				le.PutUint32(chunk[pos:], w)
				pos += 4
			}
			at = rec.At
			if rec.From >= 0 {
				seen = rec
			}
		}
		out = append(out, chunk...)
	}
	le.PutUint64(out[rt.LNext*8:], uint64(len(out)))
	return out
}

// wordsOf are the words of a record that follows an operation and an order, in the
// shortest form if it is to be short.
func wordsOf(rec Record, at uint64, seen Record, short bool) []uint32 {
	d, id, v := uint32(rec.At-at), uint32(rec.From+1), rec.Value
	if id != 0 {
		v = uint32(rec.FromOp)
	}
	behind := v - uint32(seen.FromOp)
	first := func(form, rest uint32) uint32 {
		return rest<<(rt.KindBits+rt.FormBits) | form<<rt.KindBits | uint32(rec.Kind)
	}
	switch {
	case short && id == 0 && d < 1<<7 && v < 1<<18:
		return []uint32{first(rt.FormOutcome, v<<7|d)}
	case short && id != 0 && rec.From == seen.From && d < 1<<9 && behind < 1<<16:
		return []uint32{first(rt.FormSame, behind<<9|d)}
	case short && d < 1<<10 && id < 1<<15:
		return []uint32{first(rt.FormHalf, id<<10|d), v}
	}
	return []uint32{first(rt.FormFull, d), id, v}
}

// possible makes a run one that a program can have done: orders are of operations that
// were done, and names are sorted.
func possible(r *Run) *Run {
	for i := range r.Threads {
		t := &r.Threads[i]
		t.Records = slices.DeleteFunc(t.Records, func(rec Record) bool { return rec.From == i || rec.From >= 0 && r.Threads[rec.From].Ops == 0 })
		for j := range t.Records {
			if f := t.Records[j].From; f >= 0 {
				t.Records[j].FromOp %= r.Threads[f].Ops
			}
		}
	}
	return r
}

func readBytes(t testing.TB, data []byte) (*Run, error) {
	p := filepath.Join(t.TempDir(), "x.hklog")
	if err := os.WriteFile(p, data, 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := ReadLog(p)
	if err != nil && !strings.Contains(err.Error(), p) {
		t.Fatalf("the file is not named: %v", err)
	}
	return r, err
}

func TestReadLog(t *testing.T) {
	for seed := range uint64(100) {
		want := possible(random(rand.New(rand.NewPCG(seed, 5))))
		got, err := readBytes(t, logOf(want))
		if err != nil {
			t.Fatal(err)
		}
		byName := map[string]*Thread{}
		for i := range got.Threads {
			byName[got.Threads[i].Name] = &got.Threads[i]
		}
		for i := range want.Threads {
			w := &want.Threads[i]
			g := byName[w.Name]
			if g == nil || g.Ops != w.Ops || len(g.Records) != len(w.Records) {
				t.Fatalf("seed %d: %s is %+v, want %+v", seed, w.Name, g, w)
			}
			for j, rec := range w.Records {
				have := g.Records[j]
				if have.At != rec.At || have.Kind != rec.Kind || have.FromOp != rec.FromOp || have.Value != rec.Value || rec.From >= 0 && got.Threads[have.From].Name != want.Threads[rec.From].Name {
					t.Fatalf("seed %d: %s has %+v, want %+v", seed, w.Name, have, rec)
				}
			}
		}
		if got.Package != "example.com/p" || !slices.Equal(got.Args, []string{"-v", "", "last"}) || !got.Ended || got.Exit != 2 || got.Program != "00000000000000ff" {
			t.Fatalf("head: %+v", got)
		}
	}
}

// A log that was cut is good up to there, and what follows from what is missing is
// missing, too.
func TestTornLog(t *testing.T) {
	for seed := range uint64(60) {
		whole := logOf(possible(random(rand.New(rand.NewPCG(seed, 6)))))
		for n := rt.LogHeader; n < len(whole); n += 20 {
			for _, data := range [][]byte{whole[:n], append(slices.Clone(whole[:n]), make([]byte, len(whole)-n)...)} {
				r, err := readBytes(t, data)
				if err != nil {
					if n < rt.LogHeader+rt.ChunkUnit {
						continue // nothing is left
					}
					t.Fatalf("%d of %d bytes: %v", n, len(whole), err)
				}
				checkRun(t, r)
			}
		}
	}
}

// checkRun fails if an order is of an operation that the run does not have.
func checkRun(t *testing.T, r *Run) {
	t.Helper()
	for _, th := range r.Threads {
		for _, rec := range th.Records {
			if rec.At >= th.Ops || rec.From >= 0 && rec.FromOp >= r.Threads[rec.From].Ops {
				t.Fatalf("%s did %d operations and has %+v", th.Name, th.Ops, rec)
			}
		}
	}
}

func FuzzReadLog(f *testing.F) {
	f.Add(logOf(possible(random(rand.New(rand.NewPCG(7, 7))))))
	f.Add([]byte("no log"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := readBytes(t, data); err == nil {
			checkRun(t, r)
			_ = r.WritePlan(filepath.Join(t.TempDir(), "plan"), PlanOptions{})
			if _, err := r.encode(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A log of another version of the format is refused, and the versions are named.
func TestOtherVersion(t *testing.T) {
	data := logOf(possible(random(rand.New(rand.NewPCG(8, 8)))))
	binary.LittleEndian.PutUint64(data[rt.LVersion*8:], rt.RecVersion-1)
	want := fmt.Sprintf("version %d of its format; this Hocket reads version %d", rt.RecVersion-1, rt.RecVersion)
	if _, err := readBytes(t, data); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want: %s", err, want)
	}
}
