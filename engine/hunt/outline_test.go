package hunt

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/trace"
)

// A race that was not looked into names both sides, even at one line.
func TestOutlineOfARace(t *testing.T) {
	at := trace.Frame{Func: "ex.com/m.(*T).add", File: "/m/a.go", Line: 7}
	c := &confirmation{pipeline: &pipeline{job: &Job{Roots: site.Roots{Module: "/m"}}},
		caught: &search.Finding{Result: &run.Result{}, Race: &run.RacePair{First: at, Second: at, FirstWrite: true}}}
	p := c.outline()
	if len(p.RootCause) != 2 || p.RootCause[0].Op != "write" || p.RootCause[1].Op != "read" {
		t.Errorf("root cause %+v", p.RootCause)
	}
	if want := "`T.add` wrote at a.go:7 what `T.add` read at a.go:7: nothing orders the two."; p.Sentence != want {
		t.Errorf("sentence %q, want %q", p.Sentence, want)
	}
}

// An example whose output is wrong fails at its function.
func TestPlaceOfAnExample(t *testing.T) {
	dir := t.TempDir()
	const text = "package m\n\nimport \"fmt\"\n\nfunc ExampleX() {\n\tfmt.Println(1)\n\t// Output: 2\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "x_test.go"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	src := build.TakeSources(dir, nil)
	c := &confirmation{pipeline: &pipeline{job: &Job{Target: target.Target{Package: "m", Entry: "ExampleX"},
		Roots: site.Roots{Module: dir}, Sources: func() *build.Sources { return src }}}}
	want := report.Place{Goroutine: "ExampleX", File: "x_test.go", Line: 5, Func: "m.ExampleX"}
	if got := c.entryPlace(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
