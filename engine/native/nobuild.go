package native

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/internal/bug"
)

// noBuild words that the program with points does not compile, though the plain
// one does: a bug of Hocket's. The compiler speaks of texts that the user does
// not have, so only its reason is shown.
func noBuild(e *instrument.BuildError, dir string) error {
	bug.Reportf("the program with points does not compile: %s", e.Output)
	return fmt.Errorf("the native build could not be made: %s", reasonOf(e.Output, dir))
}

var position = regexp.MustCompile(`^\S+\.go:\d+(:\d+)?: `)

// reasonOf is the first line of a compiler's output that is a reason, without
// places in texts that only the build had.
func reasonOf(output, dir string) string {
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		line = position.ReplaceAllString(line, "")
		for _, word := range strings.Fields(line) {
			if strings.Contains(word, dir) {
				line = strings.ReplaceAll(line, word, "a generated file")
			}
		}
		return line
	}
	return "the go command gave no reason"
}
