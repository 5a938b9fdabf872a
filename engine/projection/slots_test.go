package projection

import (
	"slices"
	"testing"

	"github.com/hocket-dev/hocket/engine/trace"
)

// A place in a channel is held by who has not received since, if all give back what they
// took; in a queue by whose message is still there.
func TestPlacesOf(t *testing.T) {
	type op struct {
		g    trace.GID
		send bool
	}
	for name, c := range map[string]struct {
		ops  []op
		g    trace.GID
		want []int
	}{
		"the later one gave back first": {[]op{{1, true}, {2, true}, {2, false}}, 1, []int{0}},
		"gave back":                     {[]op{{1, true}, {2, true}, {2, false}}, 2, nil},
		"twice, one given back":         {[]op{{1, true}, {1, true}, {1, false}}, 1, []int{0}},
		"another one took the first":    {[]op{{1, true}, {1, true}, {2, false}, {1, false}, {2, true}}, 1, nil},
		"the queue has the last":        {[]op{{1, true}, {1, true}, {2, false}, {1, false}, {2, true}}, 2, []int{4}},
	} {
		var events []trace.Event
		for i, o := range c.ops {
			e := trace.Event{Seq: i, G: o.g, Op: trace.OpRecv, Obj: 1, Value: 1}
			if o.send {
				e.Op = trace.OpSend
			}
			events = append(events, e)
		}
		if got := placesOf(events, 1, c.g); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
