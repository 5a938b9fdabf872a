package hunt

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hocket-dev/hocket/engine/run/sim"
)

// What was seen and could not be reproduced is listed with the target.
func TestWhatIsNotReportedIsListed(t *testing.T) {
	var runs atomic.Int64
	n := hunt(t, func(t *sim.Thread) {
		if runs.Add(1)%10 == 0 {
			t.Panic("once in a while")
		}
	})
	w := n.line.Withheld
	if n.last != nil || len(w) != 1 || w[0].Kind != "panic" || !strings.Contains(w[0].Message, "once in a while") || w[0].Why == "" {
		t.Errorf("released %v, withheld %+v", n.last, w)
	}
}
