package native

import (
	"testing"
	"time"

	"github.com/hocket-dev/hocket/breakpoints"
	"github.com/hocket-dev/hocket/breakpoints/reproduce"
	"github.com/hocket-dev/hocket/engine/instrument/points"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/engine/trace/tracetest"
)

// The way that fails most often is the best one; of equals, the one that was played.
func TestBetter(t *testing.T) {
	reports := []Report{{Runs: 6, Failed: 6, Played: 6}, {Runs: 6, Failed: 6}, {Runs: 6, Failed: 3, Played: 6}, {Runs: 2, Played: 2}, {Runs: 2}}
	for i := range reports {
		for j := range reports {
			if got := reports[i].better(&reports[j]); got != (i < j) {
				t.Errorf("%+v better than %+v: %v", reports[i], reports[j], got)
			}
		}
	}
}

// Few points come before many, and all processors before one.
func TestWays(t *testing.T) {
	tr, err := tracetest.Build(`
main spawn a m.go:1
main lock mu m.go:2
main unlock mu m.go:3
a start
a lock mu m.go:10
a unlock mu m.go:11
main lock mu m.go:4
outcome panic main "panic: x" m.go:5
`, tracetest.Options{Dir: "/src/"})
	if err != nil {
		t.Fatal(err)
	}
	ways, err := (&Request{Trace: tr, Core: []Edge{{5, 6}}}).ways()
	if err != nil {
		t.Fatal(err)
	}
	var got []Way
	for _, w := range ways {
		got = append(got, w.Way)
		if w.plan != nil && len(w.plan.Places) != len(ways[0].plan.Places) {
			t.Error("the plans have different places")
		}
	}
	want := []Way{{CoreOrder, false}, {WholeOrder, false}, {CoreOrder, true}, {WholeOrder, true}, {NoOrder, true}}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("ways %v, want %v", got, want)
		}
	}
}

// A process of which some goroutine can go on does not hang.
func TestCanGoOn(t *testing.T) {
	for dump, want := range map[string]bool{
		"goroutine 1 gp=0xc0 m=nil [chan receive]:\nmain.main()\n\ngoroutine 7 gp=0xc1 m=nil [sleep]:\n":           true,
		"goroutine 1 [runnable]:\nmain.main()\n":                                                                   true,
		"goroutine 0 gp=0x1 m=0 mp=0x2 [idle]:\n\ngoroutine 1 gp=0xc0 m=nil [semacquire, 2 minutes]:\n[running]\n": false,
	} {
		if got := canGoOn(dump); got != want {
			t.Errorf("%q: %v", dump, got)
		}
	}
}

// A test that failed after it was held for as long as a plan may, may have waited less.
func TestSpoilt(t *testing.T) {
	for _, c := range []struct {
		kind   trace.OutcomeKind
		broken string
		failed int
	}{{trace.TestFailed, "timeout s1", 0}, {trace.TestFailed, "stuck s1", 1}, {trace.Panicked, "timeout s1", 1}} {
		j := &judge{Judge: reproduce.Judge{Kind: string(c.kind)}, custom: func(string, int) bool { return true }}
		rep := &Report{Arrived: map[string]int{}}
		rep.count(&attempt{exit: 1, report: breakpoints.Report{Broken: c.broken}}, j, &Plan{})
		if rep.Failed != c.failed {
			t.Errorf("%s, %s: %d failures", c.kind, c.broken, rep.Failed)
		}
	}
}

// Why a plan was not played is said by goroutines and places.
func TestWhy(t *testing.T) {
	steps, err := breakpoints.Parse("step a / 1 1 b~;step b /1#1 2 1")
	if err != nil {
		t.Fatal(err)
	}
	p := &Plan{Steps: steps, names: map[string]string{"/": "main", "/1#1": "worker"},
		Places: []points.Place{{ID: 1, Kind: points.Spawn, File: "/m/b.go", Line: 3}, {ID: 1, Kind: points.At, File: "/m/a.go", Line: 5}, {ID: 2, Kind: points.At, File: "/m/a.go", Line: 9}}}
	for _, c := range []struct {
		r    breakpoints.Report
		want string
	}{
		{breakpoints.Report{Played: true}, ""},
		{breakpoints.Report{Broken: "stuck a", Arrived: []string{"a"}}, "main waited at a.go:5 until worker comes to a.go:9, and nobody else could go on"},
		{breakpoints.Report{Broken: "timeout a", Arrived: []string{"a", "b"}}, "main waited at a.go:5 until worker is blocked at a.go:9, which did not happen in time"},
		{breakpoints.Report{Arrived: []string{"a"}}, "worker did not come to a.go:9"},
		{breakpoints.Report{Broken: "stuck end", Arrived: []string{"a"}}, "worker did not come to a.go:9"},
	} {
		if got := p.why(c.r); got != c.want {
			t.Errorf("%+v: %q, want %q", c.r, got, c.want)
		}
	}
}

// A plan is as patient as the clock passed at once.
func TestPace(t *testing.T) {
	tr := &trace.Trace{Events: []trace.Event{{}, {Time: 20_000}, {Time: 20_020_000}, {Time: 50_020_000}}}
	d := &deriver{t: tr}
	if p, all := d.pace(); p != 30*time.Millisecond*5/4+5*time.Millisecond || all != planTimeout+50*time.Millisecond {
		t.Errorf("patience %v, time-out %v", p, all)
	}
	tr.Events = tr.Events[:2]
	if p, all := d.pace(); p != 0 || all != 0 {
		t.Errorf("without timers patience %v, time-out %v", p, all)
	}
}
