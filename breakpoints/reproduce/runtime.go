package reproduce

import (
	"strings"

	"github.com/hocket-dev/hocket/breakpoints"
)

// pointsSource is the package of the points, by file name. The standalone form
// of a test has a text of its own in its place.
func pointsSource() map[string]string {
	files := map[string]string{}
	entries, err := breakpoints.Source.ReadDir(".")
	if err != nil {
		panic(err) // it is embedded
	}
	for _, e := range entries {
		text, err := breakpoints.Source.ReadFile(e.Name())
		if err == nil && e.Name() != "source.go" && !strings.HasSuffix(e.Name(), "_test.go") {
			files[e.Name()] = string(text)
		}
	}
	return files
}
