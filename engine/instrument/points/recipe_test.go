package points

import (
	"path/filepath"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/hocket-dev/hocket/breakpoints/breakfile"
	"github.com/hocket-dev/hocket/breakpoints/reproduce"
)

// TestRecipes: following the recipes gives the text that Inject gives, and the
// fingerprint of each statement leads to where the recipe says it is.
func TestRecipes(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txtar")
	compared := 0
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := "/m/in.go"
		src := ar.Files[0].Data
		places := slices.DeleteFunc(placesOf(t, name, string(src)), func(p Place) bool { return p.Kind == Linger || p.Kind == Side })
		want, _, err := Inject(name, src, places)
		if err != nil {
			t.Fatal(err)
		}
		recipes, skipped, err := Recipes(name, src, places)
		if err != nil {
			t.Fatal(err)
		}
		if len(recipes) == 0 {
			continue
		}
		_, plain, _ := Inject(name, src, places)
		if len(skipped) != len(plain) {
			t.Errorf("%s: skipped %v, Inject skips %v", file, skipped, plain)
			continue
		}
		var sites []reproduce.Site
		for _, r := range recipes {
			sites = append(sites, reproduce.Site{Line: r.Line, Col: r.Col, Edits: r.Edits})
			p, err := breakfile.Fingerprint(src, "in.go", r.Line, r.Col)
			if err != nil {
				t.Errorf("%s:%d:%d: %v", file, r.Line, r.Col, err)
				continue
			}
			if at, err := breakfile.Locate(p, src); err != nil || at.Line != r.Line || at.Column != r.Col {
				t.Errorf("%s:%d:%d: %q leads to %d:%d, %v", file, r.Line, r.Col, p.Text, at.Line, at.Column, err)
			}
		}
		got, err := reproduce.Apply(name, src, sites)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if diff := gocmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s: Inject and the recipes differ (-Inject +recipes):\n%s", file, diff)
		}
		compared++
	}
	if compared < 3 {
		t.Errorf("only %d files were compared", compared)
	}
}
