package repair

import (
	"go/ast"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/internal/testmodule"
)

const later = `-- go.mod --
module example.com/m

go 1.26
-- m.go --
package m

import "context"

type value struct{ n int }

func (v value) byValue(int)    {}
func (v *value) byPointer(int) {}

type outer struct {
	*value
	run func()
}

type doer interface{ byPointer(int) }

type holder struct {
	kept, changed doer
	Open          doer
	inner         value
}

func (h *holder) change(d doer) { h.changed = d }

func (h *holder) start(n int) {
	go h.kept.byPointer(n)    // h.kept.byPointer(n)
	go h.changed.byPointer(n) // run := h.changed.byPointer; run(n)
	go h.Open.byPointer(n)    // run := h.Open.byPointer; run(n)
	go h.inner.byPointer(n)   // run := h.inner.byPointer; run(n)
}

var hook = func() {}

func none()               {}
func some(...int)         {}
func result(int, int) int { return 0 }
func of[T any](T)         {}
func pair(value, *value)  {}

func number() int { return 1 }

func start(ctx context.Context, v value, p *value, o outer, d doer, fs []func(int), n, m int) {
	go none()                       // wg.Go(none)
	go hook()                       // wg.Go(hook)
	go some()                       // some()
	go of[int](n)                   // of[int](n)
	go result(number(), number())   // arg := number(); arg2 := number(); result(arg, arg2)
	go result(1, m)                 // m2 := m; result(1, m2)
	go fs[0](n)                     // run := fs[0]; run(n)
	go o.run()                      // wg.Go(o.run)
	go o.byPointer(n)               // run := o.byPointer; run(n)
	go v.byValue(n)                 // run := v.byValue; run(n)
	go v.byPointer(n)               // v.byPointer(n)
	go p.byValue(n)                 // run := p.byValue; run(n)
	go p.byPointer(n)               // p.byPointer(n)
	go d.byPointer(n)               // d.byPointer(n)
	go (*value).byPointer(p, n)     // (*value).byPointer(p, n)
	go pair(v, p)                   // v2 := v; pair(v2, p)
	go context.AfterFunc(ctx, none) // context.AfterFunc(ctx, none)
	m, k := 2, 3
	_ = k
	for q := p; q != nil; q = nil {
		go q.byPointer(n) // q.byPointer(n)
	}
	for q := p; q != nil; {
		go q.byPointer(n) // run := q.byPointer; run(n)
		q = nil
	}
}
`

// TestStartIn: what a go statement evaluates at once is evaluated at once in what takes its
// place.
func TestStartIn(t *testing.T) {
	c, err := Load(t.Context(), testmodule.New(t, later), []string{"."}, nil, nil, nil)
	if err != nil || len(c.Problems) > 0 {
		t.Fatal(err, c.Problems)
	}
	s := &search{Problem: &Problem{Finding: &report.Finding{}, Code: c}}
	n := 0
	for _, fn := range s.functions() {
		inspectOwn(fn.node, func(x ast.Node) {
			g, ok := x.(*ast.GoStmt)
			if !ok {
				return
			}
			n++
			d := s.draft()
			s.startIn(d, fn, g, "wg")
			files, err := d.Files()
			if err != nil {
				t.Fatal(err)
			}
			name, line := c.name(g.Pos()), c.line(g.Pos())
			old, now := strings.Split(string(c.Text(name)), "\n"), strings.Split(string(files[name]), "\n")
			_, want, _ := strings.Cut(old[line-1], "// ")
			text, _, _ := strings.Cut(strings.Join(now[line-1:len(now)-len(old)+line], "\n"), "//")
			text = strings.NewReplacer("wg.Go(func() {", "", "})", "").Replace(text)
			got := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\t' })
			if got := strings.TrimRight(strings.Join(got, "; "), "; "); got != want {
				t.Errorf("%s\n got %s", strings.TrimSpace(old[line-1]), got)
			}
		})
	}
	if n != strings.Count(later, "\tgo ") {
		t.Errorf("%d go statements", n)
	}
}
