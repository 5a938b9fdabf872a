package engine

import "github.com/hocket-dev/hocket/engine/target"

// Entry is something in a Go file that can be searched.
type Entry struct {
	Name string // "TestX", "ExampleX", "FuzzX" or "main", as "hocket find -run" takes it
	Kind string // "test", "example", "fuzz" or "main"
	// Line and Column (of bytes), from 1, of the word func; EndLine is the last
	// line of the function.
	Line, Column, EndLine int
}

// Outline lists what can be searched in a Go file, in the order of its lines:
// tests, fuzz tests, examples whose output is checked, and func main of package
// main. It uses the text alone: of broken code it lists what parses, and build
// constraints are ignored. Only the name of the file matters, as the go
// command's: tests are in _test.go files, and files that begin with "_" or "."
// contain none.
func Outline(filename string, src []byte) []Entry {
	var out []Entry
	for _, f := range target.Outline(filename, src) {
		out = append(out, Entry(f))
	}
	return out
}
