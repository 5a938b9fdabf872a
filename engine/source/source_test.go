package source

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const text = `package m

func (b *box) get() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.n
}

func (b *box) work(in chan int, quit chan bool, lim int) {
	n := b.get()
	m := n + 1
	if m > lim {
		return
	}
	for i := 0; i < m; i++ {
		if v := b.get(); v == 0 {
			b.drop()
		} else if v > 1 {
			b.keep(v)
		}
	}
	select {
	case in <- 1:
		b.sent()
	case v := <-in:
		b.got(v)
	case <-quit:
		b.quit()
	}
	switch b.kind() {
	case 1:
		b.one()
	default:
		b.other()
	}
	go func() { b.back(n) }()
	go func() {
		b.later()
	}()
}

func (b *box) keep(v int) { b.n = v }
`

func file(t *testing.T) *File {
	t.Helper()
	fs := NewFiles(func(p string) ([]byte, error) {
		if p == "m.go" {
			return []byte(text), nil
		}
		return nil, os.ErrNotExist
	})
	f := fs.File("m.go")
	if f == nil {
		t.Fatal("not parsed")
	}
	return f
}

// at is the line on which a piece of the text stands.
func at(t *testing.T, piece string) int {
	t.Helper()
	i := strings.Index(text, piece)
	if i < 0 {
		t.Fatalf("no %q", piece)
	}
	return strings.Count(text[:i], "\n") + 1
}

func TestControls(t *testing.T) {
	f := file(t)
	for _, c := range []struct {
		piece string
		want  []string
	}{
		{"b.drop", []string{"if v == 0 true", "for i < m true", "guard m > lim false"}},
		{"b.keep(v)\n", []string{"if v > 1 true", "if v == 0 false", "for i < m true", "guard m > lim false"}},
		{"b.got", []string{"select case v := <-in true", "guard m > lim false"}},
		{"b.one", []string{"switch 1 true", "guard m > lim false"}},
		{"m := n", nil},
		{"if m > lim", nil},
	} {
		line := at(t, c.piece)
		var got []string
		for _, ctl := range f.Func("m.(*box).work", line).Controls(line) {
			taken := " false"
			if ctl.Taken {
				taken = " true"
			}
			got = append(got, string(ctl.Kind)+" "+ctl.Cond+taken)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.piece, diff)
		}
	}
}

func TestUsesFollowsLocals(t *testing.T) {
	f := file(t)
	line := at(t, "return\n")
	fn := f.Func("m.(*box).work", line)
	u := fn.CondUses(fn.Controls(line)[0])
	want := Uses{Spans: []Span{{at(t, "m := n"), at(t, "m := n")}, {at(t, "n := b"), at(t, "n := b")}}, Params: []int{2}}
	if diff := cmp.Diff(want, u); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	arg := at(t, "b.keep(v)\n")
	got := f.Func("m.(*box).work", arg).ArgUses(arg, "m.(*box).keep", 0)
	if v := at(t, "if v :="); len(got.Spans) != 1 || got.Spans[0].From != v {
		t.Errorf("argument v comes from %v, want line %d", got.Spans, v)
	}
}

// The compiler numbers sends upwards from 0 and receives downwards.
func TestSelectCase(t *testing.T) {
	f := file(t)
	line := at(t, "select {")
	fn := f.Func("m.(*box).work", line)
	for index, piece := range []string{"case in <- 1", "case <-quit", "case v := <-in"} {
		if got, _ := fn.SelectCase(line, index, 3); got != at(t, piece) {
			t.Errorf("case %d is at line %d, want %d", index, got, at(t, piece))
		}
	}
	if got, _ := fn.SelectCase(at(t, "b.drop"), 0, 3); got != 0 {
		t.Errorf("no select there, got line %d", got)
	}
}

func TestFuncTellsLiterals(t *testing.T) {
	f := file(t)
	lines := func(name string, line int) (from, to int) {
		fn := f.Func(name, line)
		return f.line(fn.body.Pos()), f.line(fn.body.End())
	}
	inner := at(t, "b.later")
	if from, _ := lines("m.(*box).work.func2", inner); from != inner-1 {
		t.Errorf("literal starts at %d, want %d", from, inner-1)
	}
	one := at(t, "b.back")
	if from, to := lines("m.(*box).work.func1", one); from != one || to != one {
		t.Errorf("literal on one line is %d-%d", from, to)
	}
	if from, _ := lines("m.(*box).work", one); from != at(t, "work(in") {
		t.Errorf("the enclosing function starts at %d", from)
	}
}

func TestAccessor(t *testing.T) {
	f := file(t)
	if !f.Func("m.(*box).get", at(t, "return b.n")).Accessor() {
		t.Error("get is an accessor")
	}
	if f.Func("m.(*box).work", at(t, "m := n")).Accessor() {
		t.Error("work is none")
	}
}

func TestColumn(t *testing.T) {
	f := file(t)
	line := at(t, "n := b.get")
	for _, c := range []struct {
		texts []string
		want  int
	}{{[]string{"get"}, 9}, {[]string{"box.n", "n"}, 2}, {[]string{"ge"}, 2}, {nil, 2}} {
		if got := f.Column(line, c.texts...); got != c.want {
			t.Errorf("%q: column %d, want %d", c.texts, got, c.want)
		}
	}
}

func TestNothingKnown(t *testing.T) {
	fs := NewFiles(nil)
	f := fs.File("does/not/exist.go")
	if f != nil {
		t.Fatal("a missing file is nil")
	}
	fn := f.Func("m.f", 3)
	if fn.Controls(3) != nil || fn.StmtUses(3).Spans != nil || fn.Accessor() || f.Column(3, "x") != 1 || f.Line(3) != "" {
		t.Error("a missing file knows something")
	}
}
