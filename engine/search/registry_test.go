package search_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
)

// proposed are the first attempts of a strategy that learns nothing, in a line.
func proposed(t *testing.T, name string, c search.Config) string {
	t.Helper()
	s, err := search.Make(name, c)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for n := range 4 {
		spec, ok := s.Next(ctx, n)
		if !ok {
			break
		}
		all = append(all, fmt.Sprintf("%+v", spec))
	}
	return strings.Join(all, "\n")
}

// What the registry says of each strategy is so.
func TestRegistry(t *testing.T) {
	missing := 0
	for name, works := range search.Names() {
		if !works {
			missing++
			if _, err := search.Make(name, search.Config{}); err == nil || !strings.Contains(err.Error(), "use one of auto, cortex") {
				t.Errorf("%s: %v, want what to use instead", name, err)
			}
			continue
		}
		shallow, deep := proposed(t, name, search.Config{Seed: 1, Depth: 1}), proposed(t, name, search.Config{Seed: 1, Depth: 3})
		if (shallow != deep) != search.HasDepth(name) {
			t.Errorf("%s: the depth changes the attempts: %v; it has one: %v", name, shallow != deep, search.HasDepth(name))
		}
		first := run.Spec{Strategy: run.POS, Seed: 77}
		s, err := search.Make(name, search.Config{First: []run.Spec{first}, Predict: true})
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := s.Next(ctx, 0); fmt.Sprint(got) != fmt.Sprint(first) {
			t.Errorf("%s: the first attempt is %+v", name, got)
		}
		if got, ok := s.Next(ctx, 1); !ok || got.Strategy != run.Replay {
			t.Errorf("%s: its own first attempt is %+v, want one without preemption", name, got)
		}
	}
	if missing == 0 || proposed(t, "", search.Config{Seed: 2}) != proposed(t, search.Default, search.Config{Seed: 2}) {
		t.Errorf("%d strategies are not in this version; the default is another than %s", missing, search.Default)
	}
}
