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
			mine, ok := layerOf(name)
			if !ok {
				without = append(without, name)
				continue
			}
			for _, imp := range p.Imports {
				target, ours := strings.CutPrefix(imp, module)
				theirs, ok := layerOf(target)
				if ours && ok && slices.Compare(theirs, mine) > 0 && !related(name, target) {
					up = append(up, name+" imports "+target)
				}
			}
		}
	}
	return up, without
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
	folder := path.Dir(b)
	return below(a, b) || below(b, a) || strings.Contains(folder, "/") && below(a, folder)
}
