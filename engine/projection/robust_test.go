package projection

import (
	"encoding/json"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/trace"
)

// TestDamaged explains runs of which parts are missing or wrong: it must not
// panic, keep to the limits, and give names of this machine away in no case.
func TestDamaged(t *testing.T) {
	paths, _ := filepath.Glob("testdata/*.txtar")
	rng := rand.New(rand.NewPCG(1, 2))
	for _, path := range paths {
		for range 12 {
			fx := load(t, path)
			in := fx.input
			damage(rng, in.Fail)
			if rng.IntN(3) == 0 {
				in.Pass = nil
			} else {
				damage(rng, in.Pass)
			}
			if rng.IntN(3) == 0 {
				in.Files = nil
			}
			if n := len(in.Fail.Events); n > 0 {
				in.Switches = []SwitchEvidence{{Switch: trace.Switch{From: 1, To: 2, At: rng.IntN(n)}, Runs: 20}}
			}
			p := Project(in)
			if len(p.RootCause) > MaxRoot {
				t.Fatalf("%d entries", len(p.RootCause))
			}
			data, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(data), dir) || strings.Contains(p.Markdown(), dir) {
				t.Fatalf("machine path in %s", data)
			}
			for _, line := range strings.Split(p.Text(), "\n") {
				if len([]rune(line)) > maxWidth {
					t.Fatalf("line of %d columns: %q", len([]rune(line)), line)
				}
			}
		}
	}
}

func damage(rng *rand.Rand, t *trace.Trace) {
	if n := len(t.Events); n > 0 && rng.IntN(2) == 0 {
		t.Events = t.Events[:rng.IntN(n)]
	}
	for range rng.IntN(6) {
		n := len(t.Events)
		if n == 0 {
			return
		}
		i := rng.IntN(n)
		switch rng.IntN(5) {
		case 0:
			t.Events = append(t.Events[:i:i], t.Events[i+1:]...)
		case 1:
			t.Events[i].Stack = 0
		case 2:
			t.Events[i].Obj = 0
		case 3:
			t.Events[i].Op = trace.Op(rng.IntN(int(trace.NumOps)))
		case 4:
			t.Events[i].G = trace.GID(1 + rng.IntN(len(t.Goroutines)-1))
		}
	}
	switch rng.IntN(6) {
	case 0:
		t.Outcome.Stack = 0
	case 1:
		t.Outcome.Goroutine = 0
	case 2:
		t.Outcome.Kind = trace.Raced
	}
}
