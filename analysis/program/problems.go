package program

import (
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/hocket-dev/hocket/internal/words"
)

// problems says in a line each what is wrong with a package. What follows from
// an earlier error is left out: more errors of a file that does not parse, errors
// of types beside those, and what the compiler says of what is said already. torn:
// a file does not parse.
func problems(errs []packages.Error) (lines []string, torn bool) {
	kinds := map[packages.ErrorKind]bool{}
	for _, e := range errs {
		kinds[e.Kind] = true
	}
	torn = kinds[packages.ParseError]
	files := map[string]bool{}
	for _, e := range errs {
		compiler := e.Kind == packages.ListError && strings.HasPrefix(e.Msg, "# ")
		switch {
		case compiler && (torn || kinds[packages.TypeError]):
		case compiler:
			lines = append(lines, compilerLine(e.Msg))
		case torn && e.Kind == packages.TypeError:
		case e.Kind == packages.ParseError && files[fileOf(e.Pos)]:
		default:
			files[fileOf(e.Pos)] = true
			lines = append(lines, words.OneLine(e.Error()))
		}
	}
	return lines, torn
}

// fileOf is the file of file:line:column.
func fileOf(pos string) string {
	for range 2 {
		if i := strings.LastIndexByte(pos, ':'); i > 1 { // not that of C:
			pos = pos[:i]
		}
	}
	return pos
}

// compilerLine is the first error in what the compiler printed, whose sections
// start with "# package".
func compilerLine(out string) string {
	for line := range strings.Lines(out) {
		if line = words.OneLine(line); line != "" && !strings.HasPrefix(line, "# ") {
			return line
		}
	}
	return words.OneLine(out)
}
