package trace

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestShortFunc(t *testing.T) {
	for name, want := range map[string]string{
		"main.main.func1":                             "main.func1",
		"main.worker":                                 "worker",
		"example.com/m.(*T).run":                      "T.run",
		"example.com/m.T.run":                         "T.run",
		"example.com/m.(*Pool[...]).run.func2":        "Pool.run.func2",
		"gopkg.in/yaml%2ev3.(*parser).next":           "parser.next",
		"main.Map[go.shape.int,example.com/x.T].func": "Map.func",
		"example.com/m.TestX.gowrap2":                 "TestX",
		"example.com/m.(*T).run-fm":                   "T.run",
		"example.com/m.(*T).run.deferwrap1":           "T.run",
		"plain":                                       "plain",
		"":                                            "",
	} {
		if got := ShortFunc(name); got != want {
			t.Errorf("ShortFunc(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestShortType(t *testing.T) {
	for name, want := range map[string]string{
		"m.cell": "cell", "*m.cell": "cell", "m.cache[string,int]": "cache", "int": "int",
		"struct { a int }": "struct", "[]m.cell": "cell", "sync.Mutex": "Mutex",
	} {
		if got := shortType(name); got != want {
			t.Errorf("shortType(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestDisplaysAreNumberedByPath(t *testing.T) {
	tr := &Trace{Goroutines: []Goroutine{
		{Path: "r", Display: "runtime"}, {Path: "0", Display: "main"},
		{Path: "0.10", Display: "w"}, {Path: "0.9", Display: "w"}, {Path: "0.9.1", Display: "w"}, {Path: "0.11", Display: "x"},
	}}
	tr.numberDisplays()
	want := []string{"runtime", "main", "w#3", "w#1", "w#2", "x"}
	for i, g := range tr.Goroutines {
		if g.Display != want[i] {
			t.Errorf("%s is %q, want %q", g.Path, g.Display, want[i])
		}
	}
}

func TestStampsAgreeWithNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		addrs := rapid.SliceOf(rapid.Uint64Range(0, 40)).Draw(t, "addrs")
		s := newStamps(slices.Clone(addrs))
		last := map[uint64]int{}
		for when := range rapid.IntRange(0, 30).Draw(t, "n") {
			at := rapid.Uint64Range(0, 45).Draw(t, "at")
			size := rapid.SampledFrom([]uint64{1, 2, 7, 20, ^uint64(0)}).Draw(t, "size")
			s.set(at, size, when)
			for _, a := range addrs {
				if a >= at && a-at < size {
					last[a] = when + 1
				}
			}
		}
		for _, a := range addrs {
			if got := s.get(a); got != last[a]-1 {
				t.Fatalf("stamp of %d is %d, want %d", a, got, last[a]-1)
			}
		}
	})
}
