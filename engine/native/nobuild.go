package native

import (
	"errors"
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
	if noDetector.MatchString(e.Output) {
		return errors.New("an ordinary build shows a data race only with -race, which needs cgo and a C compiler: install one, or set CGO_ENABLED=1")
	}
	bug.Reportf("the program with points does not compile: %s", e.Output)
	return fmt.Errorf("the native build could not be made: %s", reasonOf(e.Output, dir))
}

// noDetector matches what the go command says where -race can't be used.
var noDetector = regexp.MustCompile(`-race requires cgo|-race is not supported|C compiler .* not found`)

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
