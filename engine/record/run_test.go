package record

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/rt"
)

// random is a run that a log could have: orders refer to operations that were done.
func random(r *rand.Rand) *Run {
	out := &Run{ID: "x", Package: "p", Entry: "TestX", Program: "00ff", Go: "go1.26.8", OS: "linux", Arch: "amd64", Seed: r.Uint64(),
		Args: []string{"-v"}, Started: time.Unix(1e9, 5).UTC(), Took: time.Second, Outcome: Failed, Failure: "panic: \"x\"\n"}
	n := 1 + r.IntN(6)
	for i := range n {
		t := Thread{Parent: -1, Func: "f", Ops: r.Uint64N(100)}
		if i > 0 {
			t.Parent = r.IntN(i)
			t.nth = uint64(i)
			if r.IntN(3) == 0 {
				t.nth, t.fired = t.nth|rt.TimerBit, uint32(1+r.IntN(3))
			}
		}
		t.Name = ownName(t.nth, t.fired)
		if t.Parent >= 0 {
			t.Name = out.Threads[t.Parent].Name + "." + t.Name
		}
		at := uint64(0)
		for {
			at += r.Uint64N(9)
			if at >= t.Ops {
				break
			}
			rec := Record{At: at, Kind: Kind(1 + r.IntN(20)), From: r.IntN(n+1) - 1}
			if rec.From < 0 {
				rec.Value = r.Uint32()
			} else {
				rec.FromOp = r.Uint64N(1000)
			}
			t.Records = append(t.Records, rec)
		}
		out.Threads = append(out.Threads, t)
	}
	for _, t := range out.Threads {
		for i := range t.Records { // an order names an operation that was done
			if rec := &t.Records[i]; rec.From >= 0 && out.Threads[rec.From].Ops > 0 {
				rec.FromOp %= out.Threads[rec.From].Ops
			} else if rec.From >= 0 {
				rec.From, rec.FromOp = -1, 0
			}
		}
	}
	out.Digest = out.Order()
	return out
}

// A run whose order names an operation that nobody did can't be followed, and is refused.
func TestOpenRefusesOrdersOfNothing(t *testing.T) {
	r := &Run{ID: "x", Threads: []Thread{
		{Name: "0", Parent: -1, Ops: 2},
		{Name: "0.1", Parent: 0, nth: 1, Ops: 1, Records: []Record{{Kind: rt.KindLock, FromOp: 2}}},
	}}
	path, err := r.Save(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); !errors.Is(err, ErrFormat) {
		t.Errorf("%v, want %v", err, ErrFormat)
	}
}

func TestSaveOpen(t *testing.T) {
	dir := t.TempDir()
	for seed := range uint64(200) {
		want := random(rand.New(rand.NewPCG(seed, 1)))
		path, err := want.Save(dir)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: got\n%+v\nwant\n%+v", seed, got, want)
		}
		if got.Order() != want.Digest {
			t.Fatal("another digest")
		}
	}
	runs, problems := List(dir)
	if len(runs) != 1 || len(problems) != 0 || runs[0].Failure != "panic: \"x\"\n" {
		t.Fatalf("%v, %v", runs, problems)
	}
}

func TestWordsOfAPrefixAreAPrefix(t *testing.T) {
	for seed := range uint64(100) {
		run := random(rand.New(rand.NewPCG(seed, 2)))
		for _, th := range run.Threads {
			all := slices.Collect(th.Words())
			back, err := FromWords(slices.Values(all))
			if err != nil || !slices.Equal(back, th.Records) {
				t.Fatalf("%v: %v, want %v", err, back, th.Records)
			}
			for n := range th.Records {
				part := Thread{Records: th.Records[:n]}
				if got := slices.Collect(part.Words()); !slices.Equal(got, all[:3*n]) {
					t.Fatalf("words of %d records are %v, not the first of %v", n, got, all)
				}
			}
		}
	}
}

// What is damaged is refused with the file's name, and never taken for another run.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	run := random(rand.New(rand.NewPCG(3, 3)))
	path, err := run.Save(dir)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	body := bytes.IndexByte(data[len(fileMagic):], '\n') + len(fileMagic) + 1
	for i := range data {
		bad := slices.Clone(data)
		bad[i] ^= 0x40
		for _, text := range [][]byte{bad, data[:i]} {
			p := filepath.Join(dir, "bad"+Ending)
			if err := os.WriteFile(p, text, 0o666); err != nil {
				t.Fatal(err)
			}
			got, err := Open(p)
			if err == nil && len(text) == len(data) && (i < body || got.Order() == run.Digest) {
				continue // a letter of the head: another value; or a bit that means nothing
			}
			if err == nil || !strings.Contains(err.Error(), p) {
				t.Fatalf("byte %d of %d: %v", i, len(data), err)
			}
		}
	}
}

func FuzzOpen(f *testing.F) {
	run := random(rand.New(rand.NewPCG(4, 4)))
	data, err := run.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		p := filepath.Join(t.TempDir(), "x"+Ending)
		if err := os.WriteFile(p, data, 0o666); err != nil {
			t.Fatal(err)
		}
		if r, err := Open(p); err == nil {
			r.Order()
			_ = r.WritePlan(p+".plan", PlanOptions{})
		}
	})
}

func TestNames(t *testing.T) {
	sorted := []string{"0", "0.1", "0.1.2", "0.2", "0.10", "0.t1.1", "0.t2.1", "0.t2.2"}
	got := slices.Clone(sorted)
	slices.Reverse(got)
	slices.SortFunc(got, compareNames)
	if !slices.Equal(got, sorted) {
		t.Fatal(got)
	}
}
