package target

import (
	"slices"
	"testing"
)

// TestOutlineWhileTyping: what is being typed in one function takes none of
// the others away, and lines stay those of the file.
func TestOutlineWhileTyping(t *testing.T) {
	const before = "// Package a.\npackage a\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {\n"
	const after = "\n}\n\nfunc TestTwo(t *testing.T) {\n}\n\nfunc ExampleOne() {\n\t// Output: 1\n}\n\nfunc BenchmarkOne(b *testing.B) {}\n"
	for _, typed := range []string{"\tx := 1", "\tx :=", "\tif {", "\tfor i := range {", "\tf(", "\tx = \"", "\t{{{", "\t}}}", "func", "\tgo func() {", "\tx := `"} {
		var got []string
		var lines []int
		for _, f := range Outline("a_test.go", []byte(before+typed+after)) {
			got, lines = append(got, f.Name), append(lines, f.Line)
			if f.EndLine < f.Line {
				t.Errorf("%q: %+v", typed, f)
			}
		}
		if want := []string{"TestOne", "TestTwo", "ExampleOne"}; !slices.Equal(got, want) || !slices.Equal(lines, []int{6, 10, 13}) {
			t.Errorf("%q: %v at %v, want %v", typed, got, lines, want)
		}
	}
}
