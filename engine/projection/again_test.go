package projection

import (
	"testing"

	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/engine/trace/tracetest"
)

// "It" is only what the words before have named: after a write of all of c, a read of one
// of its fields is told by the field's name.
func TestAgain(t *testing.T) {
	for _, whole := range []bool{false, true} {
		tr := build(t, `
main spawn a a.go:20
main spawn b a.go:21
a start
b start
a write c.hdr=1 a.go:4
b read c.hdr=1 a.go:9
b panicstart a.go:10
outcome panic b "panic: nil" a.go:10
`, tracetest.Options{Dir: dir})
		a := newAnalysis(Input{Fail: tr})
		find := func(op trace.Op) (entry, *trace.Event) {
			for i := range a.fail.events {
				if a.fail.events[i].Op == op {
					return a.entry(i), &a.fail.events[i]
				}
			}
			t.Fatalf("there is no %s", op)
			return entry{}, nil
		}
		w, e := find(trace.OpWrite)
		r, _ := find(trace.OpRead)
		if want := "`c.hdr`"; whole {
			a.fail.Objects[e.Obj].Size = 8
			w.op, e.Op, e.Aux = trace.OpWriteRange, trace.OpWriteRange, 64
			if got := a.again(w, r); a.object(w) != "`c`" || got != want {
				t.Errorf("after a write of %s: %q, want %s", a.object(w), got, want)
			}
		} else if got := a.again(w, r); got != "it" {
			t.Errorf("after a write of %s: %q, want it", a.object(w), got)
		}
	}
}
