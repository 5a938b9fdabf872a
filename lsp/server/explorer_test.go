package server_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/lsp"
	"github.com/hocket-dev/hocket/lsp/lsptest"
)

// shop is a module of several packages, with a finding of TestX in the package till.
type shop struct {
	root  string
	store *store.Store
	texts map[string]string
	*lsptest.Client
}

const tillText = "package till\n\nvar n int\n\nfunc TestX(t *testing.T) {\n\tn++\n\tprint(n)\n}\n\nfunc TestY(t *testing.T) {}\n"

func openShop(t *testing.T) *shop {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	s := &shop{root: filepath.Join(t.TempDir(), "shop"), texts: map[string]string{
		"go.mod":               "module example.com/shop\n\ngo 1.26\n",
		"shop.go":              "package shop\n",
		"gen.go":               "//go:build ignore\n\npackage main\n\nfunc main() {}\n",
		"till/till_test.go":    tillText,
		"till/testdata/a/a.go": "package main\n\nfunc main() {}\n",
		"cmd/open/main.go":     "package main\n\nfunc main() {}\n",
		"plain/plain.go":       "package plain\n\nfunc main() {}\n",
		"other/go.mod":         "module example.com/other\n",
		"other/other_test.go":  "package other\n\nfunc TestZ(t *testing.T) {}\n",
		"vendor/v/v_test.go":   "package v\n\nfunc TestV(t *testing.T) {}\n",
	}}
	for name, text := range s.texts {
		s.write(t, name, text)
	}
	var err error
	if s.store, err = store.Open(s.root); err != nil {
		t.Fatal(err)
	}
	s.put(t, "0badcafe", "TestX")
	s.Client = lsptest.Connect(t, func(in io.Reader, out io.Writer) error {
		return lsp.Serve(context.Background(), lsp.Options{In: in, Out: out, Command: []string{"/none"}})
	})
	caps := lsptest.Capabilities()
	caps["experimental"] = lsptest.Object{"hocketChanges": true}
	s.Initialize(lsptest.Object{"capabilities": caps, "workspaceFolders": []any{lsptest.Object{"uri": s.uri(""), "name": "shop"}}})
	return s
}

func (s *shop) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(s.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func (s *shop) uri(name string) string {
	return strings.TrimSuffix("file://"+filepath.ToSlash(s.root)+"/"+name, "/")
}

func (s *shop) put(t *testing.T, id, entry string) *store.Record {
	t.Helper()
	f := &report.Finding{ID: id, Package: "example.com/shop/till", Entry: entry, Kind: "panic", Message: "panic: m", Confirmed: report.Native,
		Native: &report.Count{Runs: 100, Failed: 100}, Replay: report.Count{Runs: 100, Failed: 100},
		RootCause: []report.Access{{Goroutine: "a", File: "till/till_test.go", Line: 6, Column: 2, Op: "write", Var: "n"}},
		Failure:   report.Place{Goroutine: "a", File: "till/till_test.go", Line: 7, Func: "till.TestX"}}
	r := &store.Record{Found: time.Now(), Module: "example.com/shop", Package: f.Package, Entry: entry, Finding: f,
		Sources: store.Sums{"till/till_test.go": store.SumText(tillText)}}
	if err := s.store.Put(r, nil, store.Texts{"till/till_test.go": tillText}); err != nil {
		t.Fatal(err)
	}
	return r
}

// searched keeps that a search of another text ended without a finding.
func (s *shop) searched(t *testing.T, r *store.Record, text string) {
	t.Helper()
	l := r.NewReplay(store.Sums{"till/till_test.go": store.SumText(text)}, "", "")
	l.Searched = true
	if err := s.store.PutReplay(r.Finding.ID, l); err != nil {
		t.Fatal(err)
	}
}

func (s *shop) command(name string, arg lsptest.Object, into any) {
	s.Must("workspace/executeCommand", lsptest.Object{"command": name, "arguments": []any{arg}}, into)
}

type shopTests struct {
	Modules []struct {
		URI, Name string
		Packages  []struct {
			URI, Name, Dir string
			Tests          []struct {
				Name, Kind, URI, Stands, Line, Job string
				Findings                           []string
				Range                              struct{ Start struct{ Line int } }
			}
		}
	}
}

type shopList struct {
	Findings []struct{ ID, Stands, Brief, About, State string }
	Verdicts []json.RawMessage
}

func (s *shop) list() (l shopList) {
	s.command("hocket.list", lsptest.Object{}, &l)
	return l
}

// eventually asks again until it is so.
func (s *shop) eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited for: %s", what)
		}
	}
}

func (s *shop) changes() int { return len(s.Notifications("hocket/changed")) }

// TestTestsAreListed: modules, their packages and, of one that is asked for, what can be
// searched and how it stands; nothing is run for it.
func TestTestsAreListed(t *testing.T) {
	s := openShop(t)
	defer s.Shutdown()
	var all shopTests
	s.eventually(t, "both modules are known", func() bool { return s.changes() > 0 })
	for len(all.Modules) < 2 { // they are looked for in the background
		s.command("hocket.tests", lsptest.Object{}, &all)
	}
	var got []string
	for _, m := range all.Modules {
		for _, p := range m.Packages {
			got = append(got, m.Name+" "+p.Name+" "+p.Dir)
			if len(p.Tests) > 0 {
				t.Errorf("the tests of %s were not asked for", p.Name)
			}
		}
	}
	want := []string{"example.com/shop example.com/shop/cmd/open cmd/open", "example.com/shop example.com/shop/till till", "example.com/other example.com/other ."}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("packages\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}

	var one shopTests
	s.command("hocket.tests", lsptest.Object{"uri": s.uri("till")}, &one)
	got = nil
	for _, e := range one.Modules[0].Packages[0].Tests {
		got = append(got, strings.TrimSpace(strings.Join([]string{e.Name, e.Kind, e.Stands, e.Line, strings.Join(e.Findings, ",")}, "|")))
		if e.URI != s.uri("till/till_test.go") {
			t.Errorf("%s is in %s", e.Name, e.URI)
		}
	}
	if want := []string{"TestX|test|failing|1 finding: panic: m|0badcafe", "TestY|test|||"}; !slices.Equal(got, want) {
		t.Errorf("tests %q, want %q", got, want)
	}
	// Tests that were never saved count, as in the lenses.
	s.Open(s.uri("till/new_test.go"), "package till\n\nfunc TestNew(t *testing.T) {}\n")
	s.command("hocket.tests", lsptest.Object{"uri": s.uri("till/till_test.go")}, &one)
	if tests := one.Modules[0].Packages[0].Tests; len(tests) != 3 || tests[0].Name != "TestNew" || tests[0].Range.Start.Line != 2 {
		t.Errorf("with an unsaved file: %+v", tests)
	}
}

// TestChangesAreTold: a client that lists findings hears of it when one is found, when its
// line is edited and when that is undone, and not at each key.
func TestChangesAreTold(t *testing.T) {
	s := openShop(t)
	defer s.Shutdown()
	s.Open(s.uri("till/till_test.go"), tillText)
	s.eventually(t, "the finding is current", func() bool { l := s.list(); return len(l.Findings) == 1 && l.Findings[0].Stands == "failing" })
	s.eventually(t, "a change is told", func() bool { return s.changes() > 0 })
	time.Sleep(300 * time.Millisecond) // what starting brings is told by now

	step := func(what string, want func(l shopList) bool, do func()) {
		t.Helper()
		before := s.changes()
		do()
		s.eventually(t, what+" is told", func() bool { return s.changes() > before })
		if l := s.list(); !want(l) {
			t.Errorf("%s: %+v", what, l)
		}
	}
	step("an edit of its line", func(l shopList) bool { return l.Findings[0].State == "changed" && l.Findings[0].Stands == "changed" }, func() {
		s.Change(s.uri("till/till_test.go"), 2, lsptest.Edit{Text: strings.Replace(tillText, "n++", "n += 2", 1)})
	})
	step("its undoing", func(l shopList) bool { return l.Findings[0].Stands == "failing" }, func() {
		s.Change(s.uri("till/till_test.go"), 3, lsptest.Edit{Text: tillText})
	})
	step("a finding of another process", func(l shopList) bool { return len(l.Findings) == 2 }, func() { s.put(t, "0badcaff", "TestY") })

	before := s.changes()
	for v := range 20 {
		s.Change(s.uri("till/till_test.go"), 4+v, lsptest.Edit{Text: tillText + strings.Repeat("\n", v)})
	}
	time.Sleep(300 * time.Millisecond)
	if n := s.changes() - before; n > 1 { // that the text is another one now, once
		t.Errorf("%d changes are told of blank lines", n)
	}
}

// TestForgetting: findings that a search of the text on disk has shown to be fixed are
// deleted, no others; one that is named is.
func TestForgetting(t *testing.T) {
	s := openShop(t)
	defer s.Shutdown()
	fixed := s.put(t, "0badcaff", "TestY")
	s.Open(s.uri("till/till_test.go"), tillText)
	s.eventually(t, "both are listed", func() bool { return len(s.list().Findings) == 2 })
	var ans struct {
		Forgotten, Kept []string
		Message         string
	}
	s.command("hocket.forget", lsptest.Object{}, &ans)
	if len(ans.Forgotten) != 0 || ans.Message != "there is no finding that no longer fails" {
		t.Errorf("of failing findings: %+v", ans)
	}

	mended := strings.Replace(tillText, "n++", "n += 1 // alone", 1)
	s.Change(s.uri("till/till_test.go"), 2, lsptest.Edit{Text: mended})
	s.searched(t, fixed, mended)
	s.eventually(t, "it no longer fails", func() bool {
		return slices.ContainsFunc(s.list().Findings, func(f struct{ ID, Stands, Brief, About, State string }) bool {
			return f.ID == "0badcaff" && f.Stands == "fixed"
		})
	})
	s.command("hocket.forget", lsptest.Object{}, &ans)
	if len(ans.Forgotten) != 0 || !slices.Equal(ans.Kept, []string{"0badcaff"}) || !strings.Contains(ans.Message, "not saved") {
		t.Errorf("of a text that is not saved: %+v", ans)
	}

	s.write(t, "till/till_test.go", mended)
	s.Save(s.uri("till/till_test.go"))
	s.command("hocket.forget", lsptest.Object{}, &ans)
	if !slices.Equal(ans.Forgotten, []string{"0badcaff"}) || ans.Message != "1 finding forgotten" {
		t.Errorf("saved: %+v", ans)
	}
	if l := s.list(); len(l.Findings) != 1 || l.Findings[0].ID != "0badcafe" {
		t.Errorf("left are %+v", l)
	}
	s.command("hocket.forget", lsptest.Object{"id": "0badca"}, &ans)
	if l := s.list(); len(l.Findings) != 0 || !slices.Equal(ans.Forgotten, []string{"0badcafe"}) {
		t.Errorf("by its id: %+v, left are %+v", ans, l)
	}
	left, err := os.ReadDir(filepath.Join(s.root, ".hocket", "findings"))
	if err != nil || len(left) > 0 {
		t.Errorf("files are left: %v %v", left, err)
	}
}
