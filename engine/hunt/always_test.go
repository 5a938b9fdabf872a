package hunt

import (
	"testing"

	"github.com/hocket-dev/hocket/engine/trace"
)

// A worker that was served before, or whose sibling was, is idle; a goroutine
// that never got past its first receive, or that waits to send, is stuck.
func TestAnyStuck(t *testing.T) {
	recv := func(g trace.GID) trace.Event { return trace.Event{G: g, Op: trace.OpRecv, Stack: 1, Value: 1} }
	build := func(op trace.Op, events ...trace.Event) *trace.Trace {
		return &trace.Trace{
			StdRoot: "/go/src",
			Goroutines: []trace.Goroutine{{}, {ID: 1, Func: "main.main"}, {ID: 2, Func: "main.worker"},
				{ID: 3, Func: "main.worker"}, {ID: 4, Func: "main.other"}},
			Stacks:  [][]trace.Frame{nil, {{Func: "main.worker", File: "/m/a.go", Line: 9}}},
			Events:  events,
			Outcome: trace.Outcome{Kind: trace.Leaked, Blocked: []trace.Blocked{{G: 2, Op: op, Stack: 1, Leaked: true}}},
		}
	}
	for _, tc := range []struct {
		name  string
		trace *trace.Trace
		want  bool
	}{
		{"never served", build(trace.OpRecv), true},
		{"served before", build(trace.OpRecv, recv(2)), false},
		{"sibling served", build(trace.OpRecv, recv(3)), false},
		{"another function served", build(trace.OpRecv, recv(4)), true},
		{"waits to send", build(trace.OpSend, recv(2)), true},
	} {
		if got := anyStuck(tc.trace); got != tc.want {
			t.Errorf("%s: stuck is %v", tc.name, got)
		}
	}
}
