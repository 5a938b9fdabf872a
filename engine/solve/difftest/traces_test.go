package difftest_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/process"
	"github.com/hocket-dev/hocket/engine/run/sim/minigo"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/trace"
)

// The same program without preemption has the same events in sim and under
// Go's runtime: operations, what they came to, and the positions that schedules
// use.
func TestSimTracesAreGos(t *testing.T) {
	const programs = 60
	var all []*sample
	for seed := *seed0; len(all) < programs; seed++ {
		if s := draw(seed, 30_000, minigo.Size{Threads: 3, Steps: 4}); s != nil {
			all = append(all, s)
		}
	}
	bin := buildGo(t, all)
	p, err := process.New(bin, site.NewIndex(bin.Path))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for i, s := range all {
		spec := run.Spec{Record: run.Full, Args: []string{fmt.Sprint(i)}}
		real, err := p.Run(context.Background(), spec)
		if err != nil {
			t.Fatal(err)
		}
		played, err := (&minigo.Runner{Program: s.program}).Run(context.Background(), spec)
		if err != nil {
			t.Fatal(err)
		}
		want, got := operations(real.Trace), operations(played.Trace)
		if !slices.Equal(want, got) {
			for k := 0; k < max(len(want), len(got)); k++ {
				w, g := "-", "-"
				if k < len(want) {
					w = want[k]
				}
				if k < len(got) {
					g = got[k]
				}
				if w != g {
					t.Errorf("seed %d: event %d in Go: %s; in sim: %s\n%v\nGo:\n%s\nsim:\n%s", s.seed, k, w, g, s.program, strings.Join(want, "\n"), strings.Join(got, "\n"))
					break
				}
			}
		}
	}
}

// operations are a trace's events but plain accesses, those inside fmt, and
// what main does before it is in the program.
func operations(t *trace.Trace) (out []string) {
	begun, before := false, uint32(0) // main, and the switch points that it had passed
	for _, e := range t.Events {
		if e.G == 0 || e.Op >= trace.OpRead && e.Op <= trace.OpWriteRange || within(t, e, "fmt.", "os.", "internal/poll") {
			continue
		}
		if e.G == 1 {
			if !begun && !within(t, e, "main.program") {
				continue
			}
			if !begun {
				begun, before = true, e.Count
				if e.Op != trace.OpSpawn { // the switch point of a go statement comes after it
					before--
				}
			}
			e.Count -= before
		}
		if e.Op == trace.OpEnd || e.Op == trace.OpBlock && e.Aux == 0 {
			e.Count = 0 // printing has switch points too
		}
		value, aux := int64(e.Value), fmt.Sprintf("%x", e.Aux)
		switch e.Op {
		case trace.OpBlock:
			value = 0
		case trace.OpPanicStart: // what the goroutine began last is told of real runs only
			value, aux = 0, "0"
		case trace.OpUnblock, trace.OpSpawn:
			aux = t.Goroutine(trace.GID(e.Aux)).Path
		}
		out = append(out, fmt.Sprintf("%s %v %d %s @%d", t.Goroutine(e.G).Path, e.Op, value, aux, e.Count))
	}
	return out
}

// within is true of events below a function whose name begins so.
func within(t *trace.Trace, e trace.Event, names ...string) bool {
	for _, f := range t.Stack(e.Stack) {
		for _, name := range names {
			if strings.HasPrefix(f.Func, name) {
				return true
			}
		}
	}
	return false
}
