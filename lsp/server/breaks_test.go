package server

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/breakpoints/breakfile"
	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/files"
	"github.com/hocket-dev/hocket/lsp/jobs"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

func TestBreakRunLine(t *testing.T) {
	for _, c := range []struct {
		r    engine.BreakRun
		want string
	}{
		{engine.BreakRun{Runs: 100, Hits: 100, Failed: 97, Failures: []engine.BreakFailure{{Message: "panic: boom\nmore", Count: 97}}, Plain: engine.PlainRuns{Runs: 20}},
			"TestX with breakpoints: hit 100/100, failed 97; without, 0 of 20 failed; panic: boom more"},
		{engine.BreakRun{Runs: 3, Breakpoints: []engine.BreakStat{{ID: "b1", Lost: "no such statement"}, {ID: "b2", Notes: []string{"side 1 held a lock"}}}, Notes: []string{"cut short"}},
			"TestX with breakpoints: hit 0/3, failed 0; b1 was left out: no such statement; b2: side 1 held a lock; cut short"},
	} {
		if got := breakRunLine("TestX", &c.r); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestWithMessage(t *testing.T) {
	got, err := withMessage(json.RawMessage(`{"runs":3,"new":{"x":1}}`), "a \"line\"")
	if err != nil {
		t.Fatal(err)
	}
	if raw, _ := json.Marshal(got); string(raw) != `{"message":"a \"line\"","new":{"x":1},"runs":3}` {
		t.Errorf("%s", raw)
	}
	if _, err := withMessage(json.RawMessage(`[1]`), "x"); err == nil {
		t.Error("a list has no message")
	}
}

func TestBreakTargetFlags(t *testing.T) {
	for _, c := range []struct {
		t    breakTarget
		want string
	}{
		{breakTarget{dir: "/m/p"}, "|package p"},
		{breakTarget{dir: "/m/p", entry: "TestX/a b", id: "b1"}, "-run=^TestX$/^a_b$ -id=b1|TestX/a b"},
		{breakTarget{dir: "/m", entry: "main"}, "|main"},
	} {
		if got := strings.Join(c.t.flags(), " ") + "|" + c.t.what(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// breaksModule is a module with a breakpoint of two sides in two files.
func breaksModule(t testing.TB) (m *Module, docs *files.Store, uri func(string) protocol.URI) {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "a.go": "package m\n\nvar x int\n\nfunc f() {\n\tx = 1\n}\n", "b.go": "package m\n\nfunc g() int {\n\treturn x\n}\n"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := engine.AddBreak(context.Background(), engine.AddBreakOptions{Dir: root, Places: []string{"a.go:6", "b.go:4"}}); err != nil {
		t.Fatal(err)
	}
	uri = func(name string) protocol.URI { return protocol.FileURI(filepath.Join(root, name)) }
	return &Module{Module: engine.OpenModule(root)}, files.NewStore(), uri
}

// TestBreaksInTexts: sides are where the texts of the view have them, and only
// a side that is lost or found again makes them be placed anew.
func TestBreaksInTexts(t *testing.T) {
	m, docs, uri := breaksModule(t)
	ctx := context.Background()
	view := func() View { return View{Files: docs.Snapshot(), Settings: DefaultSettings()} }
	line := func(side, want int, lost bool) (stale bool) {
		t.Helper()
		list, problem, stale := m.breaks.in(ctx, view(), m)
		if len(list) != 1 || problem != "" {
			t.Fatalf("%d breakpoints, problem %q", len(list), problem)
		}
		s := list[0].Places[side-1]
		if (s.Lost != "") != lost || s.Line != want {
			t.Errorf("side %d: %+v, want line %d, lost %t", side, s, want, lost)
		}
		return stale
	}
	line(1, 6, false)
	docs.Open(uri("a.go"), 1, "package m\n\nvar x int\n\n// f\nfunc f() {\n\tx = 1\n}\n")
	if line(1, 7, false) || m.breaks.version() != 1 {
		t.Error("an edit that moves a side makes all be placed again")
	}
	line(2, 4, false)
	docs.Open(uri("a.go"), 2, "package m\n\nvar x int\n\nfunc f() {\n}\n")
	if !line(1, 6, true) {
		t.Error("a lost side does not make them be placed again")
	}
	m.breaks.read(ctx, view(), m)
	if line(1, 6, true) {
		t.Error("lost again and again")
	}
	if err := docs.Close(uri("a.go")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(m.Root(), "b.go")); err != nil {
		t.Fatal(err)
	}
	if !line(2, 4, true) {
		t.Error("a side whose file is gone")
	}
}

func TestBreakStamp(t *testing.T) {
	m, _, _ := breaksModule(t)
	first := stampOf(m.Root())
	if len(first) == 0 || !first.same(stampOf(m.Root())) {
		t.Fatalf("%v", first)
	}
	file := filepath.Join(m.Root(), breakfile.Folder, breakfile.Name)
	data, err := os.ReadFile(file)
	if err != nil || !first.same(stampOf(m.Root())) {
		t.Fatal("reading is no change", err)
	}
	st, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file+"2", data, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file+"2", st.ModTime(), st.ModTime()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+"2", file); err != nil {
		t.Fatal(err)
	}
	if first.same(stampOf(m.Root())) {
		t.Error("another file of equal time and size is taken for the same")
	}
	if err := os.RemoveAll(filepath.Dir(file)); err != nil {
		t.Fatal(err)
	}
	if !stampOf(m.Root()).same(nil) {
		t.Error("the folder is gone")
	}
}

// TestGivesWay: a renewal of conflicts ends for a job that somebody waits for,
// is wanted again, and is not ended by its own like.
func TestGivesWay(t *testing.T) {
	r := newRenewal(nil)
	q := jobs.New()
	defer q.Close(context.Background()) //nolint:errcheck // nothing runs
	key := jobs.Key{Kind: kindVet, Dir: "/m"}
	h, err := q.Submit(context.Background(), jobs.Job{Key: key, Prepare: func(ctx context.Context) (jobs.Command, func(), error) {
		<-ctx.Done()
		return jobs.Command{}, nil, ctx.Err()
	}})
	if err != nil {
		t.Fatal(err)
	}
	r.hold(h, key)
	r.giveWay(key)
	if r.gaveWay() {
		t.Error("gave way to its own like")
	}
	r.giveWay(jobs.Key{Kind: "find"})
	if _, status, err := h.Wait(context.Background()); status != jobs.Cancelled || err != nil || !r.gaveWay() {
		t.Errorf("%v %v %v", status, err, r.gaveWay())
	}
	r.hold(nil, jobs.Key{})
	r.giveWay(jobs.Key{Kind: "find"})
	if r.gaveWay() {
		t.Error("nothing runs")
	}
}

func TestDependency(t *testing.T) {
	for root, want := range map[string]bool{"/m": false, "/go/pkg/mod/x.y/z@v1.2.3": true, "/a@b/m": false} {
		if got := dependency(root); got != want {
			t.Errorf("%s: %t", root, got)
		}
	}
}
