package tracedb_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/tracedb"
)

// version is a program with functions f, g and h, of which each has two sites;
// order gives the numbers of the sites.
func version(content string, ids map[string]string, order ...string) *tracedb.Program {
	p := &tracedb.Program{Package: "example.com/a", Entry: "TestA", Mode: "paths", Content: content, Go: "go1.26.8", OS: "linux", Arch: "amd64", Functions: ids}
	for _, f := range order {
		p.Sites = append(p.Sites, tracedb.Site{Func: f, Index: 0}, tracedb.Site{Func: f, Index: 1})
	}
	return p
}

func run(p *tracedb.Program, toks ...uint64) *tracedb.Run {
	return &tracedb.Run{Program: p, Time: time.Unix(1, 0), Outcome: tracedb.Passed,
		Threads: []tracedb.Thread{{Name: "0.1", Site: "f", Tokens: toks}}}
}

// TestPathsOfOtherPrograms: they are taken as far as their functions are the same,
// in the numbers of the program that asks, and never where that is not known.
func TestPathsOfOtherPrograms(t *testing.T) {
	f0, f1 := uint64(0), uint64(2) // sites 0 and 1 of f in the old program
	g0, h0 := uint64(4), uint64(8)
	old := version("old", map[string]string{"f": "1", "g": "1", "h": "1"}, "f", "g", "h")
	for _, c := range []struct {
		name   string
		now    *tracedb.Program
		prefix []uint64
		want   [][]uint64
		whole  []bool
	}{
		{"a function after f changed", version("new", map[string]string{"f": "1", "g": "2", "h": "1"}, "f", "g", "h"),
			[]uint64{f0 | 1}, [][]uint64{{f0 | 1, f1}, {f0 | 1, f1, h0}}, []bool{false, true}},
		{"sites have other numbers", version("new", map[string]string{"f": "1", "g": "1", "h": "1"}, "h", "f", "g"),
			[]uint64{4 | 1}, [][]uint64{{4 | 1, 6, 0}, {4 | 1, 6, 8, 0}}, []bool{true, true}},
		{"the prefix is of a function that changed", version("new", map[string]string{"f": "2", "g": "1", "h": "1"}, "f", "g", "h"),
			[]uint64{f0 | 1}, nil, nil},
		{"functions are not known", version("new", nil, "f", "g", "h"), []uint64{f0 | 1}, nil, nil},
		{"a function is gone", version("new", map[string]string{"f": "1", "h": "1"}, "f", "h"),
			[]uint64{f0 | 1}, [][]uint64{{f0 | 1, f1}, {f0 | 1, f1, 4}}, []bool{false, true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := open(t, filepath.Join(t.TempDir(), "db"))
			defer db.Close()
			if _, err := db.Add(run(old, f0|1, f1, g0, h0), run(old, f0|1, f1, h0), run(old, f0, h0)); err != nil {
				t.Fatal(err)
			}
			for _, others := range []bool{false, true} {
				got, err := db.Continue(tracedb.Query{Program: c.now, Site: "f", Prefix: c.prefix, N: 10, Others: others})
				if err != nil {
					t.Fatal(err)
				}
				want := c.want
				if !others {
					want = nil
				}
				if len(got) != len(want) {
					t.Fatalf("others %v: %+v, want %v", others, got, want)
				}
				for i := range got {
					if !slices.Equal(got[i].Tokens, want[i]) || got[i].Whole != c.whole[i] || got[i].From == nil || got[i].From.Content != "old" {
						t.Errorf("path %d is %+v, want %v, whole %v", i, got[i], want[i], c.whole[i])
					}
				}
			}
		})
	}
}

// TestOrdersOfOtherPrograms: tokens that belong to no function hold only where all
// functions are the same.
func TestOrdersOfOtherPrograms(t *testing.T) {
	of := func(content, id string) *tracedb.Program {
		p := version(content, map[string]string{"f": id})
		p.Mode = "order"
		return p
	}
	db := open(t, filepath.Join(t.TempDir(), "db"))
	defer db.Close()
	if _, err := db.Add(run(of("old", "1"), 5, 6, 7)); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]int{"1": 1, "2": 0} {
		got, err := db.Continue(tracedb.Query{Program: of("new", id), Site: "f", Prefix: []uint64{5}, N: 3, Others: true})
		if err != nil || len(got) != want {
			t.Errorf("function %s: %+v (%v), want %d", id, got, err, want)
		}
	}
	th := &tracedb.Thread{Tokens: []uint64{5, 6}}
	if n := tracedb.Carried(of("old", "1"), of("new", "1"), th); n != 2 {
		t.Errorf("carried %d of 2 though nothing changed", n)
	}
	if n := tracedb.Carried(of("old", "1"), of("new", "2"), th); n != 0 {
		t.Errorf("carried %d though a function changed", n)
	}
}
