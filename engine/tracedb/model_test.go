package tracedb_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hocket-dev/hocket/engine/tracedb"
)

// The database is compared with the plain list of the runs that were added.

var programs = []*tracedb.Program{
	{Package: "example.com/a", Entry: "TestA", Mode: "paths", Content: "c1", Go: "go1.26.8", OS: "linux", Arch: "amd64",
		Functions: map[string]string{"f": "1"}, Sites: []tracedb.Site{{Func: "f", Index: 3, Line: "a.go:7"}}},
	{Package: "example.com/a", Entry: "TestA", Mode: "paths", Content: "c2", Go: "go1.26.8", OS: "linux", Arch: "amd64"},
	{Package: "example.com/a", Entry: "TestC", Mode: "paths", Content: "c1", Go: "go1.26.8", OS: "linux", Arch: "amd64",
		Functions: map[string]string{"f": "1"}, Sites: []tracedb.Site{{Func: "f", Index: 3, Line: "a.go:7"}}},
	{Package: "example.com/a", Entry: "TestB", Mode: "order", Content: "c1", Go: "go1.26.8", OS: "linux", Arch: "arm64"},
}

var sites = []string{"", "a.go:10", "a.go:20"}

func genRun(t *rapid.T) *tracedb.Run {
	r := &tracedb.Run{
		Program: rapid.SampledFrom(programs).Draw(t, "program"),
		Machine: rapid.SampledFrom([]string{"", "ci-1", "laptop"}).Draw(t, "machine"),
		Time:    time.Unix(rapid.Int64Range(1, 1000).Draw(t, "time"), 0).UTC(),
		Seed:    rapid.Uint64Range(0, 3).Draw(t, "seed"),
		Outcome: rapid.SampledFrom([]string{tracedb.Passed, "panic"}).Draw(t, "outcome"),
		Torn:    rapid.Bool().Draw(t, "torn"),
	}
	if r.Outcome != tracedb.Passed {
		r.Failure = rapid.StringN(0, 20, -1).Draw(t, "failure")
	}
	token := rapid.Uint64Range(0, 3)
	if rapid.IntRange(0, 9).Draw(t, "wide") == 0 {
		token = rapid.Uint64()
	}
	// Few tokens of few values: prefixes are shared, edges split, paths end inside others.
	for i := range rapid.IntRange(0, 3).Draw(t, "threads") {
		r.Threads = append(r.Threads, tracedb.Thread{Name: fmt.Sprint("0.", i), Site: rapid.SampledFrom(sites).Draw(t, "site"),
			Tokens: rapid.SliceOfN(token, 0, 12).Draw(t, "tokens")})
	}
	return r
}

func open(t rapid.TB, path string) *tracedb.DB {
	t.Helper()
	db, err := tracedb.Open(context.Background(), path, tracedb.Options{Doing: "a test"})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func all(t rapid.TB, db *tracedb.DB) map[tracedb.ID]*tracedb.Run {
	t.Helper()
	out := map[tracedb.ID]*tracedb.Run{}
	err := db.Each(context.Background(), tracedb.Filter{}, func(id tracedb.ID, r *tracedb.Run) error {
		out[id] = r
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// plain makes runs comparable: no tokens are an empty list.
func plain(runs []*tracedb.Run) map[tracedb.ID]*tracedb.Run {
	out := map[tracedb.ID]*tracedb.Run{}
	for _, r := range runs {
		out[r.ID()] = r
	}
	return out
}

var same = gocmp.Options{gocmp.Comparer(func(a, b []uint64) bool { return slices.Equal(a, b) }),
	gocmp.Comparer(func(a, b []tracedb.Thread) bool {
		return slices.EqualFunc(a, b, func(a, b tracedb.Thread) bool {
			return a.Name == b.Name && a.Site == b.Site && slices.Equal(a.Tokens, b.Tokens)
		})
	})}

func TestAgainstList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "tracedb")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		db := open(t, filepath.Join(dir, "one.db"))
		defer db.Close()
		runs := rapid.SliceOfN(rapid.Custom(genRun), 1, 30).Draw(t, "runs")
		have := map[tracedb.ID]bool{}
		for rest := runs; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "batch")
			want := 0
			for _, r := range rest[:n] {
				if !have[r.ID()] {
					have[r.ID()] = true
					want++
				}
			}
			if got, err := db.Add(rest[:n]...); err != nil || got != want {
				t.Fatalf("added %d, want %d (%v)", got, want, err)
			}
			rest = rest[n:]
		}
		want := plain(runs)
		if d := gocmp.Diff(want, all(t, db), same); d != "" {
			t.Fatal(d)
		}
		checkQueries(t, db, want)
		checkGroups(t, db, want)
		checkCopies(t, dir, db, want)
	})
}

// checkQueries compares continuations and counts with a search through the list.
func checkQueries(t *rapid.T, db *tracedb.DB, runs map[tracedb.ID]*tracedb.Run) {
	p := rapid.SampledFrom(programs).Draw(t, "of")
	site := rapid.SampledFrom([]string{"0.0", "0.1", "a.go:10", "a.go:20"}).Draw(t, "from")
	prefix := rapid.SliceOfN(rapid.Uint64Range(0, 3), 0, 4).Draw(t, "prefix")
	n := rapid.IntRange(1, 5).Draw(t, "n")
	var paths [][]uint64
	total := 0
	for _, r := range runs {
		for _, th := range r.Threads {
			if r.Program != p || cmp.Or(th.Site, th.Name) != site {
				continue
			}
			total++
			if len(th.Tokens) >= len(prefix) && slices.Equal(th.Tokens[:len(prefix)], prefix) {
				paths = append(paths, th.Tokens)
			}
		}
	}
	began, all, err := db.Seen(p, site, prefix)
	if err != nil || began != len(paths) || all != total {
		t.Fatalf("seen %d of %d (%v), want %d of %d", began, all, err, len(paths), total)
	}
	counts := map[string]int{}
	for _, path := range paths {
		counts[fmt.Sprint(path)]++
	}
	slices.SortFunc(paths, func(a, b []uint64) int { return cmp.Or(cmp.Compare(len(a), len(b)), slices.Compare(a, b)) })
	paths = slices.CompactFunc(paths, slices.Equal)
	got, err := db.Continue(tracedb.Query{Program: p, Site: site, Prefix: prefix, N: n})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != min(n, len(paths)) {
		t.Fatalf("%d continuations, want %d", len(got), min(n, len(paths)))
	}
	for i, g := range got {
		// Of equally long ones any may come first.
		if len(g.Tokens) != len(paths[i]) || g.Runs != counts[fmt.Sprint(g.Tokens)] || !g.Whole || g.From != nil {
			t.Fatalf("continuation %d is %+v, want one as long as %v", i, g, paths[i])
		}
	}
}

func checkGroups(t *rapid.T, db *tracedb.DB, runs map[tracedb.ID]*tracedb.Run) {
	groups, err := db.Groups()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, g := range groups {
		distinct := map[string]bool{}
		failed := 0
		for _, r := range runs {
			if r.Program.Content != g.Program.Content || r.Program.Entry != g.Program.Entry {
				continue
			}
			n++
			distinct[fmt.Sprint(r.Threads)] = true
			if r.Outcome != tracedb.Passed {
				failed++
			}
		}
		if g.Failed != failed {
			t.Fatalf("%d failed, want %d", g.Failed, failed)
		}
		// Threads of other sites have other trees, and are told apart by them.
		if g.Distinct != len(distinct) {
			t.Fatalf("%d distinct, want %d", g.Distinct, len(distinct))
		}
	}
	if n != len(runs) {
		t.Fatalf("%d runs in groups, want %d", n, len(runs))
	}
}

// checkCopies exports, merges twice, merges the database itself, and prunes.
func checkCopies(t *rapid.T, dir string, db *tracedb.DB, want map[tracedb.ID]*tracedb.Run) {
	ctx := context.Background()
	var file bytes.Buffer
	if n, err := db.Export(ctx, &file, tracedb.Filter{}); err != nil || n != len(want) {
		t.Fatalf("exported %d of %d: %v", n, len(want), err)
	}
	name := filepath.Join(dir, "runs")
	if err := os.WriteFile(name, file.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	two := open(t, filepath.Join(dir, "two.db"))
	defer two.Close()
	for i, from := range []string{name, name, db.Path()} {
		if from == db.Path() {
			db.Close()
		}
		m, err := two.Merge(ctx, from)
		fresh := 0
		if i == 0 {
			fresh = len(want)
		}
		if err != nil || m.Runs != len(want) || m.New != fresh {
			t.Fatalf("merge %d of %s: %+v, %v; want %d new of %d", i, from, m, err, fresh, len(want))
		}
	}
	if d := gocmp.Diff(want, all(t, two), same); d != "" {
		t.Fatal(d)
	}
	before := time.Unix(rapid.Int64Range(0, 1001).Draw(t, "before"), 0)
	p, err := two.Prune(ctx, tracedb.Policy{Before: before})
	if err != nil {
		t.Fatal(err)
	}
	kept := map[tracedb.ID]*tracedb.Run{}
	for id, r := range want {
		if !r.Time.Before(before) {
			kept[id] = r
		}
	}
	if p.Runs != len(kept) || p.Dropped != len(want)-len(kept) {
		t.Fatalf("pruned to %+v, want %d of %d", p, len(kept), len(want))
	}
	if d := gocmp.Diff(kept, all(t, two), same); d != "" {
		t.Fatal(d)
	}
	checkQueries(t, two, kept)
}

// random returns a run with paths of n tokens, for tests of size.
func random(rng *rand.Rand, n int) *tracedb.Run {
	r := &tracedb.Run{Program: programs[0], Time: time.Unix(int64(rng.IntN(1e6)), 0), Outcome: tracedb.Passed, Seed: rng.Uint64()}
	for i := range 3 {
		toks := make([]uint64, n)
		for j := range toks {
			toks[j] = uint64(j*4 + rng.IntN(20)/19)
		}
		r.Threads = append(r.Threads, tracedb.Thread{Name: fmt.Sprint("0.", i), Site: "a.go:10", Tokens: toks})
	}
	return r
}
