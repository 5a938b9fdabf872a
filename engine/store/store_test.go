package store

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/trace"
)

func finding() *report.Finding {
	return &report.Finding{
		ID: "0badcafe", Package: "m", Entry: "TestX", Kind: "panic", Class: "atomicity-violation",
		Failure:   report.Place{File: "a.go", Line: 3, Func: "m.f"},
		RootCause: []report.Access{{File: "a.go", Line: 1, Func: "m.f", Op: "read"}, {File: "a.go", Line: 2, Func: "m.g", Op: "write"}},
	}
}

func record(f *report.Finding) *Record {
	return &Record{Found: time.Unix(1, 0).UTC(), GoVersion: "go1.26.8", Package: f.Package, Entry: f.Entry, Finding: f,
		Schedule: trace.Schedule{
			Segments: []trace.Segment{{G: 1<<64 - 3, Until: 7}, {G: 9, Until: 1<<32 - 1, Await: true}},
			Choices:  []trace.Choice{{G: 1<<64 - 5, Count: 1<<32 - 2, Case: 3}}},
		Hash: 1<<64 - 1}
}

func open(t *testing.T, root string) *Store {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	s, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRoundTrip(t *testing.T) {
	root := t.TempDir()
	s := open(t, root)
	want := record(finding())
	for range 2 { // the second replaces the first
		if err := s.Put(want, map[string][]byte{"failing": []byte("events")}, nil); err != nil {
			t.Fatal(err)
		}
	}
	got, err := OpenRead(root).Get("0bad")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if data, err := s.Trace(got, "failing"); err != nil || string(data) != "events" {
		t.Errorf("trace %q, %v", data, err)
	}
	if err := s.Put(want, map[string][]byte{"failing": []byte("others")}, nil); err != nil {
		t.Fatal(err)
	}
	if old, _ := filepath.Glob(filepath.Join(s.Dir(), "findings", "*.trace")); len(old) != 1 {
		t.Errorf("old traces stay: %v", old)
	}
	data, _ := os.ReadFile(filepath.Join(s.Dir(), "findings", "0badcafe.json"))
	if strings.Contains(string(data), root) {
		t.Error("a path of this machine is in the file")
	}
}

// TestMinimalOfFormat1: what earlier versions called minimal is no proof.
func TestMinimalOfFormat1(t *testing.T) {
	s := open(t, t.TempDir())
	put := func(text string) *Record {
		t.Helper()
		path := filepath.Join(s.Dir(), "findings", "0badcafe.json")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := s.Get("0badcafe")
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	const rest = `"package":"m","entry":"TestX","finding":{"id":"0badcafe","schedule":{"preemptions":2,"minimal":`
	for _, c := range []struct {
		text string
		want report.Shape
	}{
		{`{"format":1,` + rest + `true}}}`, report.Shape{Preemptions: 2, Irreducible: true}},
		{`{"format":1,` + rest + `false}}}`, report.Shape{Preemptions: 2}},
		{`{"format":1,` + rest + `false,"irreducible":true}}}`, report.Shape{Preemptions: 2, Irreducible: true}},
		{`{"format":2,` + rest + `true}}}`, report.Shape{Preemptions: 2, Minimal: true}},
	} {
		r := put(c.text)
		if r.Finding.Schedule != c.want || r.Format != Format {
			t.Errorf("%s: format %d, %+v, want %+v", c.text, r.Format, r.Finding.Schedule, c.want)
		}
		if err := s.Put(r, nil, nil); err != nil { // it stays so when it is written again
			t.Fatal(err)
		}
		if again, err := s.Get("0badcafe"); err != nil || again.Finding.Schedule != c.want {
			t.Errorf("%s, written again: %+v, %v, want %+v", c.text, again, err, c.want)
		}
	}
}

func TestBadFilesCostOnlyThemselves(t *testing.T) {
	s := open(t, t.TempDir())
	if err := s.Put(record(finding()), nil, nil); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(s.Dir(), "findings")
	for name, data := range map[string]string{"11111111.json": `{"format":1,`, "22222222.json": `{"format":9}`, "33333333.json": `{"format":1}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	all, bad := s.List()
	if len(all) != 1 || len(bad) != 3 {
		t.Fatalf("%d good, bad: %v", len(all), bad)
	}
	for id, want := range map[string]string{"1": "11111111.json is corrupt", "2": "has format 9", "3": "names no finding", "4": "no finding 4", "": "not the id", "../x": "not the id"} {
		if _, err := s.Get(id); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("Get(%q): %v, want one line with %q", id, err, want)
		}
	}
}

func TestManyWriters(t *testing.T) {
	s := open(t, t.TempDir())
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				if err := s.Put(record(finding()), map[string][]byte{"failing": []byte("e")}, nil); err != nil {
					t.Error(err)
				}
				if _, bad := s.List(); len(bad) > 0 {
					t.Error(bad)
				}
			}
		})
	}
	wg.Wait()
	if left, _ := filepath.Glob(filepath.Join(s.Dir(), "findings", "*"+".tmp-"+"*")); len(left) > 0 {
		t.Errorf("temporary files stay: %v", left)
	}
}

// TestStandIn uses a file in the folder's place: permissions do not bind root.
func TestStandIn(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, Folder), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	s := open(t, root)
	if s.Note == "" || strings.HasPrefix(s.Dir(), root) {
		t.Errorf("dir %s, note %q", s.Dir(), s.Note)
	}
	if err := s.Put(record(finding()), nil, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenRead(root).Get("0badcafe"); err != nil {
		t.Errorf("not found where it was put: %v", err)
	}
}

func TestIdentity(t *testing.T) {
	root := t.TempDir()
	roots := site.Roots{Module: root}
	src := func(s string) {
		if err := os.WriteFile(filepath.Join(root, "a.go"), []byte(s), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	src("read\nwrite\nfail\n")
	first := finding()
	Identify(first, nil, roots, nil)

	t.Run("lines moved", func(t *testing.T) {
		src("\n\nread\nwrite\nfail\n")
		f := finding()
		f.Failure.Line += 2
		for i := range f.RootCause {
			f.RootCause[i].Line += 2
		}
		Identify(f, nil, roots, nil)
		if f.ID != first.ID {
			t.Errorf("%s, then %s", first.ID, f.ID)
		}
	})
	src("read\nwrite\nfail\n")
	t.Run("one access more", func(t *testing.T) {
		f := finding()
		f.RootCause = append(f.RootCause, report.Access{File: "a.go", Line: 3, Func: "m.h", Op: "read"})
		Identify(f, nil, roots, nil)
		if f.ID == first.ID {
			t.Error("a new bug has the id of another")
		}
		Identify(f, []*Record{record(first)}, roots, nil)
		if f.ID != first.ID {
			t.Errorf("the stored bug was not recognised")
		}
	})
	t.Run("other kind", func(t *testing.T) {
		f := finding()
		f.Kind = "deadlock"
		Identify(f, []*Record{record(first)}, roots, nil)
		if f.ID == first.ID {
			t.Error("same id")
		}
	})
}

func TestOutdated(t *testing.T) {
	root := t.TempDir()
	roots := site.Roots{Module: root}
	file := filepath.Join(root, "a.go")
	os.WriteFile(file, []byte("package a"), 0o666)
	r := record(finding())
	r.Sources = Sum(roots, root, []string{"a.go"})
	if got := r.Outdated(roots, "go1.26.8"); got != "" {
		t.Errorf("outdated: %s", got)
	}
	os.WriteFile(file, []byte("package b"), 0o666)
	if got := r.Outdated(roots, "go1.27.3"); got != "a.go changed; found with go1.26.8, this is go1.27.3" {
		t.Errorf("got %q", got)
	}
}

// TestGitignoreIsTheUsers: once it is there, what the user makes of it stays,
// and opening writes nothing into it.
func TestGitignoreIsTheUsers(t *testing.T) {
	root := t.TempDir()
	s := open(t, root)
	path := filepath.Join(s.Dir(), ".gitignore")
	if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), "!breakpoints.*") || strings.Contains(string(data), "!.gitignore") {
		t.Fatalf("%q, %v", data, err)
	}
	const users = "*\n!findings/\n"
	if err := os.WriteFile(path, []byte(users), 0o644); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	s = open(t, root)
	if err := os.RemoveAll(filepath.Join(s.Dir(), "findings")); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(record(finding()), nil, nil); err != nil { // makes the folder again
		t.Fatal(err)
	}
	after, err := os.Stat(path)
	if err != nil || !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) {
		t.Errorf("written again: %v, %v", after, err)
	}
	if data, _ := os.ReadFile(path); string(data) != users {
		t.Errorf("the user's file is now %q", data)
	}
	if left, _ := filepath.Glob(filepath.Join(s.Dir(), ".tmp-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestPrefixInBothFolders: a finding that is in the module's folder and in its
// stand-in is one finding, whatever part of its id is given.
func TestPrefixInBothFolders(t *testing.T) {
	root := t.TempDir()
	s := open(t, root)
	standIn := &Store{dir: s.also, also: s.dir}
	if err := prepare(standIn.dir); err != nil {
		t.Fatal(err)
	}
	other := finding()
	other.ID = "0bad1dea"
	for _, st := range []*Store{s, standIn} {
		r := record(finding())
		r.Module = st.dir
		if err := st.Put(r, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := standIn.Put(record(other), nil, nil); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"0badcafe", "0badc"} {
		r, err := s.Get(id)
		if err != nil || r.Finding.ID != "0badcafe" || r.Module != s.dir {
			t.Errorf("Get(%q): %+v, %v, want that of %s", id, r, err, s.dir)
		}
	}
	_, err := s.Get("0bad")
	if want := "finding 0bad is ambiguous: 0bad1dea, 0badcafe"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
