package breakview

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/breakpoints/breakfile"
	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/files"
	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

const (
	textA = "package m\n\nvar x int\n\nfunc f() {\n\tx = 1\n}\n"
	textB = "package m\n\nfunc g() int {\n\treturn x\n}\n"
)

// root is a module whose files are called by their paths below it.
type root string

func (r root) Root() string { return string(r) }

func (r root) Path(name string) (string, bool) { return filepath.Join(string(r), name), true }

func (r root) Name(path string) (string, bool) {
	name, err := filepath.Rel(string(r), path)
	return name, err == nil
}

// session is a module with a breakpoint of two sides in two files, and the
// documents of an editor.
type session struct {
	*testing.T
	root   root
	docs   *files.Store
	breaks *Breaks
}

func newSession(t *testing.T) *session {
	t.Helper()
	s := &session{T: t, root: root(t.TempDir()), docs: files.NewStore()}
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "a.go": textA, "b.go": textB} {
		s.write(name, text)
	}
	if _, err := engine.AddBreak(context.Background(), engine.AddBreakOptions{Dir: s.root.Root(), Places: []string{s.path("a.go") + ":6", s.path("b.go") + ":4"}}); err != nil {
		t.Fatal(err)
	}
	s.breaks = New(s.root)
	return s
}

func (s *session) path(name string) string { path, _ := s.root.Path(name); return path }

func (s *session) write(name, text string) {
	s.Helper()
	if err := os.WriteFile(s.path(name), []byte(text), 0o666); err != nil {
		s.Fatal(err)
	}
}

func (s *session) uri(name string) protocol.URI { return protocol.FileURI(s.path(name)) }

func (s *session) edit(name, text string) { s.docs.Open(s.uri(name), 1, text) }

func (s *session) file(name string) *files.File {
	s.Helper()
	f, ok := s.docs.Snapshot().File(s.uri(name))
	if !ok {
		s.Fatalf("there is no %s", name)
	}
	return f
}

func (s *session) view() *View { return s.breaks.In(context.Background(), s.docs.Snapshot()) }

func (s *session) edited(change func(*engine.EditBreakOptions)) {
	s.Helper()
	o := engine.EditBreakOptions{Dir: s.root.Root(), ID: "b1"}
	change(&o)
	if _, err := engine.EditBreak(context.Background(), o); err != nil {
		s.Fatal(err)
	}
	s.breaks.Read(context.Background(), s.docs.Snapshot())
}

// TestSidesFollowTexts: sides are where the texts of the snapshot have them, and
// only a side that is lost or found again makes a view stale.
func TestSidesFollowTexts(t *testing.T) {
	s := newSession(t)
	line := func(side, want int, lost bool) (stale bool) {
		t.Helper()
		v := s.view()
		if len(v.Breaks) != 1 || v.Problem != "" {
			t.Fatalf("%d breakpoints, problem %q", len(v.Breaks), v.Problem)
		}
		p := v.Breaks[0].Places[side-1]
		if (p.Lost != "") != lost || p.Line != want {
			t.Errorf("side %d: %+v, want line %d, lost %t", side, p, want, lost)
		}
		return v.Stale
	}
	line(1, 6, false)
	s.edit("a.go", strings.Replace(textA, "func", "// f\nfunc", 1))
	if line(1, 7, false) || s.breaks.Version() != 1 {
		t.Error("a side that moves makes the view stale")
	}
	line(2, 4, false)
	s.edit("a.go", strings.Replace(textA, "\tx = 1\n", "", 1))
	if !line(1, 6, true) {
		t.Error("a lost side does not make the view stale")
	}
	s.breaks.Read(context.Background(), s.docs.Snapshot())
	if line(1, 6, true) {
		t.Error("lost again and again")
	}
	s.edit("a.go", textA)
	if !line(1, 6, false) {
		t.Error("found again, the view is not stale")
	}
	if err := os.Remove(s.path("b.go")); err != nil {
		t.Fatal(err)
	}
	if !line(2, 4, true) {
		t.Error("a side whose file is gone")
	}
}

// TestViewsAreOfTheirSnapshot: what is shown for a request is of the texts of its
// arrival, whatever came after.
func TestViewsAreOfTheirSnapshot(t *testing.T) {
	s := newSession(t)
	before := s.docs.Snapshot()
	s.edit("a.go", "// new\n"+textA)
	if v := s.breaks.In(context.Background(), before); v.Breaks[0].Places[0].Line != 6 {
		t.Errorf("%+v", v.Breaks[0].Places[0])
	}
	if v := s.view(); v.Breaks[0].Places[0].Line != 7 {
		t.Errorf("%+v", v.Breaks[0].Places[0])
	}
}

func TestLookups(t *testing.T) {
	s := newSession(t)
	s.edit("a.go", textA)
	v := s.view()
	if b, ok := v.Find("b1"); !ok || b.ID != "b1" {
		t.Error("b1 is not found")
	}
	if _, ok := v.Find("b2"); ok {
		t.Error("b2 is found")
	}
	if on := v.On(s.path("b.go"), 1, 4); len(on) != 1 || on[0].Number != 2 || on[0].Place().Text != "return x" {
		t.Errorf("%+v", on)
	}
	if on := v.On(s.path("b.go"), 1, 3); on != nil {
		t.Errorf("%+v", on)
	}
	f := s.file("a.go")
	for text, want := range map[string]int{"\tx = 1": 0, "x = 1": 1, " = 1": 1, "1\n": 1, "\n}": 0} {
		if at := v.At(f, strings.Index(textA, text)); len(at) != want {
			t.Errorf("at %q are %d sides, want %d", text, len(at), want)
		}
	}
	if r := Range(f, &v.Breaks[0].Places[0]); r.Start.Line != 5 || r.Start.Character != 1 || r.End.Character != 6 {
		t.Errorf("%+v", r)
	}
}

func TestHints(t *testing.T) {
	s := newSession(t)
	hints := func(want ...string) {
		t.Helper()
		got := s.view().Hints()
		if len(got) != len(want) {
			t.Fatalf("%+v, want %q", got, want)
		}
		for i, h := range got {
			if line := h.Code + ": " + h.Message; !strings.HasPrefix(line, want[i]) || h.File == nil {
				t.Errorf("%s\nwant %s", line, want[i])
			}
		}
	}
	hints()
	s.edit("a.go", strings.Replace(textA, "x = 1", "x = 2", 1))
	hints("changed-breakpoint: breakpoint b1, side 1 of 2 has changed: ")
	s.edit("a.go", "package m\n")
	hints("lost-breakpoint: breakpoint b1, side 1 of 2 is lost: ")
	if r := s.view().Hints()[0].Range; r.Start.Line != 0 && r.Start.Line != 1 {
		t.Errorf("a hint beyond the end of the text: %+v", r)
	}
	off := true
	s.edited(func(o *engine.EditBreakOptions) { o.Off = &off })
	hints()
	off = false
	s.edited(func(o *engine.EditBreakOptions) { o.Off = &off })
	file := filepath.Join(s.root.Root(), breakfile.Folder, breakfile.Name)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	change := func(from, to string) {
		t.Helper()
		now := strings.Replace(string(data), from, to, 1)
		if now == string(data) {
			t.Fatalf("there is no %s in\n%s", from, data)
		}
		if err := os.WriteFile(file, []byte(now), 0o666); err != nil {
			t.Fatal(err)
		}
		s.breaks.Read(context.Background(), s.docs.Snapshot())
	}
	s.edit("a.go", textA)
	change(`"id": "b1"`, `"id": "b1", "timeout": "0s"`)
	hints("wrong-breakpoint: breakpoint b1 in .hocket/breakpoints.json is invalid: ")
	change("{", "[")
	hints("breakpoints-file: ", "wrong-breakpoint: ") // what was read before stays
	if h := s.view().Hints()[0]; h.Break != "" || filepath.Base(h.File.Path) != breakfile.Name {
		t.Errorf("%+v", h)
	}
}

func TestOffers(t *testing.T) {
	s := newSession(t)
	offers := func(want ...string) {
		t.Helper()
		var got []string
		for _, o := range s.view().On(s.path("a.go"), 6, 6)[0].Offers() {
			got = append(got, o.Title)
		}
		if strings.Join(got, "; ") != strings.Join(want, "; ") {
			t.Errorf("%q, want %q", got, want)
		}
	}
	offers("run with breakpoint b1", "turn off breakpoint b1", "let side 2 of breakpoint b1 go on first", "remove breakpoint b1")
	order, off := []int{2, 1}, true
	s.edited(func(o *engine.EditBreakOptions) { o.Order, o.Off = &order, &off })
	s.edit("a.go", strings.Replace(textA, "x = 1", "x = 2", 1))
	offers("turn on breakpoint b1", "let side 1 of breakpoint b1 go on first", "accept the new text of breakpoint b1", "remove breakpoint b1")
	for _, o := range s.view().On(s.path("a.go"), 6, 6)[0].Offers() {
		if o.Action == Reorder && (o.Order[0] != 1 || o.Order[1] != 2) {
			t.Errorf("%v", o.Order)
		}
	}
}

func TestWire(t *testing.T) {
	s := newSession(t)
	s.edit("a.go", "// new\n"+textA)
	var p Pending
	first, err := StatementAt(s.file("b.go"), s.root.Root(), 4, 2)
	if err != nil {
		t.Fatal(err)
	}
	p.Set(first)
	w := s.view().Wire(present.Style{}, &p)
	if len(w.Breakpoints) != 1 || w.Pending == nil || w.Pending.Text != "return x" || w.Root != protocol.FileURI(s.root.Root()) {
		t.Fatalf("%+v", w)
	}
	if side := w.Breakpoints[0].Sides[0]; side.Range.Start.Line != 6 || side.URI != s.uri("a.go") || side.Side != 1 || side.Of != 2 || side.Label != "f" {
		t.Errorf("%+v", side)
	}
	first.Root = "/elsewhere"
	if w := s.view().Wire(present.Style{}, &p); w.Pending != nil {
		t.Error("the pending statement is of another module")
	}
}

func TestRunLine(t *testing.T) {
	for _, c := range []struct {
		r    engine.BreakRun
		want string
	}{
		{engine.BreakRun{Runs: 100, Hits: 100, Failed: 97, Failures: []engine.BreakFailure{{Message: "panic: boom\nmore", Count: 97}}, Plain: engine.PlainRuns{Runs: 20}},
			"TestX with breakpoints: hit 100/100, failed 97; without, 0 of 20 failed; panic: boom more"},
		{engine.BreakRun{Runs: 3, Breakpoints: []engine.BreakStat{{ID: "b1", Lost: "no such statement"}, {ID: "b2", Notes: []string{"side 1 held a lock"}}}, Notes: []string{"cut short"}},
			"TestX with breakpoints: hit 0/3, failed 0; b1 was left out: no such statement; b2: side 1 held a lock; cut short"},
	} {
		if got := RunLine("TestX", &c.r); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestStamp(t *testing.T) {
	dir := newSession(t).root.Root()
	first := StampOf(dir)
	if len(first) == 0 || !first.Same(StampOf(dir)) {
		t.Fatalf("%v", first)
	}
	file := filepath.Join(dir, breakfile.Folder, breakfile.Name)
	data, err := os.ReadFile(file)
	if err != nil || !first.Same(StampOf(dir)) {
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
	if first.Same(StampOf(dir)) {
		t.Error("another file of equal time and size is taken for the same")
	}
	if err := os.RemoveAll(filepath.Dir(file)); err != nil {
		t.Fatal(err)
	}
	if !StampOf(dir).Same(nil) {
		t.Error("the folder is gone")
	}
}
