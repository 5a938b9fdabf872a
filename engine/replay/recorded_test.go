package replay_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hocket-dev/hocket/engine/replay"
	"github.com/hocket-dev/hocket/engine/trace"
)

// What the trace says of an operation is enough to know what it read and wrote,
// and what else a select could have done.
func TestRecordedValues(t *testing.T) {
	tr := full(t, program(t, buildPlans(t, "ops"), "TestRecorded"), replay.Spec{})
	var got []string
	for _, e := range tr.Events {
		f, ok := tr.UserFrame(e.Stack)
		if !ok || f.Func != "plans.TestRecorded" || isPlain(e.Op) {
			continue
		}
		aux := e.Aux
		if e.Op == trace.OpSelect {
			aux = uint64(uint32(aux))
		}
		got = append(got, fmt.Sprintf("%v %d %d", e.Op, int64(e.Value), aux))
	}
	const room = 1 << 32
	want := []string{
		"atomic-add 5 0", "atomic-add 4 5", "atomic-add 9 4",
		"atomic-old 9 0", "atomic-cas 1 4294967295", // the new value, -1
		"atomic-old 7 0", "atomic-cas 0 4294967295", // the value found
		"chan-len 0 0",
		fmt.Sprintf("send 1 %d", room|1|trace.AuxTry),
		"chan-len 1 0",
		// Sends first, receives from the end, as the compiler numbers them.
		fmt.Sprintf("select-case 0 %d", room|1), fmt.Sprintf("select-case 1 %d", room), "select-case 2 0", "select 1 3",
		fmt.Sprintf("recv 0 %d", room|trace.AuxTry),
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
