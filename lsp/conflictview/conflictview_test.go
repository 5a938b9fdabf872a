package conflictview

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/files"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

const text = "package m\n\nvar x int\n\nfunc f() { x = 1 }\n\nfunc g() int { return x }\n"

// folder is a module whose files are called by their paths below it.
type folder string

func (r folder) Path(name string) (string, bool) { return filepath.Join(string(r), name), true }

func (r folder) Name(path string) (string, bool) {
	name, err := filepath.Rel(string(r), path)
	return name, err == nil
}

// known is a package of one file with one pair, and the documents of an editor.
func known(t *testing.T) (p *Package, docs *files.Store, path string) {
	t.Helper()
	root := folder(t.TempDir())
	path = filepath.Join(string(root), "a.go")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	docs = files.NewStore()
	side := func(op, fn string, line, column int) engine.ConflictSide {
		return engine.ConflictSide{File: "a.go", Line: line, Column: column, EndColumn: column + 1, Func: fn, Op: op}
	}
	rep := &engine.ConflictReport{Package: "example.com/m", Errors: []string{"b.go:1: a\nproblem", "another"}, Pairs: []engine.ConflictPair{
		{Score: 0.9, Kind: "race", What: "x", Why: "no common lock", Sides: []engine.ConflictSide{side("write", "f", 5, 12), side("read", "g", 7, 23)}}}}
	return NewPackage(rep, docs.Snapshot(), root), docs, path
}

func TestPackage(t *testing.T) {
	p, docs, path := known(t)
	if want := "example.com/m: 1 pair of places that may conflict; b.go:1: a problem; 1 more"; p.Message != want || p.Note != "b.go:1: a problem; 1 more" {
		t.Errorf("%s\nwant %s", p.Message, want)
	}
	docs.Open(protocol.FileURI(path), 1, "// new\n"+text)
	now := docs.Snapshot()
	c := p.Candidates(now, path, 6, 6, 10)
	if len(c) != 1 || c[0].Label != "read in g, a.go:8" || c[0].Detail != "no common lock; no lock held" || c[0].Kind != "race" || c[0].Range.Start.Line != 7 || c[0].Range.Start.Character != 22 {
		t.Errorf("%+v", c)
	}
	if c := p.Candidates(now, path, 6, 6, 0); len(c) != 0 {
		t.Errorf("none was asked for: %+v", c)
	}
	if l := p.Lenses(now, path); len(l) != 2 || l[0].Line != 6 || l[1].Line != 8 {
		t.Errorf("%+v", l)
	}
	if pairs := p.Pairs(now, 10); len(pairs) != 1 || len(pairs[0].Sides) != 2 || pairs[0].Sides[0].Label != "write in f, a.go:6" || pairs[0].Why != "no common lock" {
		t.Errorf("%+v", pairs)
	}
	docs.Open(protocol.FileURI(path), 2, "package m\n\nvar x int\n\nfunc f() { x = 1 }\n")
	if pairs, c := p.Pairs(docs.Snapshot(), 10), p.Candidates(docs.Snapshot(), path, 5, 5, 10); len(pairs)+len(c) != 0 {
		t.Errorf("a side was deleted: %+v, %+v", pairs, c)
	}
	if pairs := p.Pairs(now, 10); len(pairs) != 1 {
		t.Error("an older snapshot has other texts now")
	}
}

func TestPackages(t *testing.T) {
	p, _, path := known(t)
	ps := New()
	if _, ok := ps.Of(path); ok {
		t.Error("nothing is known yet")
	}
	before := ps.Version()
	ps.Put(Dir(path), p)
	if got, ok := ps.Of(path); !ok || got != p || ps.Version() == before {
		t.Errorf("%v %t, version %d", got, ok, ps.Version())
	}
	if _, ok := ps.Of("/elsewhere/a.go"); ok {
		t.Error("another package is known")
	}
}

// TestWanted: a package is taken when its saves have paused and no other job
// runs, once.
func TestWanted(t *testing.T) {
	var w Wanted
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	take := func(after time.Duration, busy bool, dir string, wait time.Duration) {
		t.Helper()
		if d, left := w.Take(start.Add(after), busy); d != dir || left != wait {
			t.Errorf("%s, busy %t: %q %s, want %q %s", after, busy, d, left, dir, wait)
		}
	}
	take(0, false, "", 0)
	w.Add("/a", start)
	take(Pause/4, false, "", 3*Pause/4)
	w.Add("/a", start.Add(Pause/2)) // saved again: the pause starts anew
	take(Pause, false, "", Pause/2)
	take(2*Pause, true, "", Look)
	w.Add("/b", start.Add(2*Pause))
	take(2*Pause, true, "", min(Look, Pause))
	take(2*Pause, false, "/a", 0)
	take(2*Pause, false, "", Pause)
	take(3*Pause, false, "/b", 0)
	take(4*Pause, false, "", 0)
	for i := range 3 {
		w.Add(fmt.Sprint(i), start)
	}
	taken := map[string]bool{}
	for range 3 {
		d, _ := w.Take(start.Add(Pause), false)
		taken[d] = true
	}
	if len(taken) != 3 || taken[""] {
		t.Errorf("%v", taken)
	}
}
