package archtest

import (
	"path"
	"slices"
	"strings"
	"testing"
)

// floors are the folders of the house whose layers are measured, from the bottom
// up. Within one, the rules stand from the bottom up.
var floors = []string{"internal", "breakpoints", "analysis", "engine", "lsp", "cmd"}

// TestNothingLooksUp: packages import only what stands before them in the order
// of layers.
func TestNothingLooksUp(t *testing.T) {
	up, without := lookingUp(t, "../..")
	for _, arrow := range up {
		t.Errorf("%s, which stands above it", arrow)
	}
	for _, name := range without {
		t.Errorf("%s has no rule, so no layer", name)
	}
}

// lookingUp returns the imports against the order of layers in the checkout, and
// the packages that have no layer.
func lookingUp(t *testing.T, tree string) (up, without []string) {
	t.Helper()
	for _, floor := range floors {
		for _, p := range listIn(t, tree, "./"+floor+"/...") {
			name := strings.TrimPrefix(p.ImportPath, module)
			if below(name, "internal/archtest") {
				continue
			}
			if _, ok := layerOf(name); !ok {
				without = append(without, name)
			}
			for _, imp := range p.Imports {
				if target, ours := strings.CutPrefix(imp, module); ours && above(target, name) {
					up = append(up, name+" imports "+target)
				}
			}
		}
	}
	return up, without
}

// above reports whether a package stands above another one; one without a layer
// does not.
func above(a, b string) bool {
	upper, ok1 := layerOf(a)
	lower, ok2 := layerOf(b)
	return ok1 && ok2 && slices.Compare(upper, lower) > 0 && !related(a, b)
}

// TestLayers checks above.
func TestLayers(t *testing.T) {
	order := []string{"internal/process", "breakpoints", "analysis", "engine/trace", "engine/run", "engine/search", "engine/hunt",
		"engine/session", "engine", "lsp/protocol", "lsp/present", "lsp/server", "cmd/hocket"}
	for i, a := range order {
		for j, b := range order {
			if got := above(a, b); got != (i > j) {
				t.Errorf("%s stands above %s: %v", a, b, got)
			}
		}
	}
	if above("engine/unknown", "engine/run") || above("engine/run", "engine/unknown") {
		t.Error("a package without a rule has a layer")
	}
}

// layerOf returns the floor of a package and its place in it; layers are compared
// by them in turn.
func layerOf(name string) (layer []int, ok bool) {
	folder, _, _ := strings.Cut(name, "/")
	of := ruleOf(name).of
	place := slices.IndexFunc(rules, func(r rule) bool { return r.of == of })
	floor := slices.Index(floors, folder)
	return []int{floor, place}, floor >= 0 && place >= 0
}

// related packages lie in one folder below a floor: their order among themselves
// is the compiler's matter.
func related(a, b string) bool {
	inside := func(a, folder string) bool { return strings.Contains(folder, "/") && below(a, folder) }
	return inside(a, b) || inside(b, a) || inside(a, path.Dir(b))
}
