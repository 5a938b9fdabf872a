package native

import (
	"errors"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/instrument/points"
	"github.com/hocket-dev/hocket/internal/bug"
)

// maxRefusals is how often a build is tried again without the points that the compiler
// did not take.
const maxRefusals = 3

// withoutBlamed divides the places into those that stay and those in statements of
// which the compiler complains; if it names no such line, those of the whole file go.
func withoutBlamed(places []points.Place, output string) (rest []points.Place, blamed []points.Skip) {
	for _, byLine := range []bool{true, false} {
		rest, blamed = nil, nil
		for _, pl := range places {
			if blames(output, pl, byLine) {
				blamed = append(blamed, points.Skip{Place: pl, Reason: "its statement can't have a point"})
			} else {
				rest = append(rest, pl)
			}
		}
		if len(blamed) > 0 {
			break
		}
	}
	return rest, blamed
}

func blames(output string, pl points.Place, byLine bool) bool {
	for _, m := range position.FindAllStringSubmatch(output, -1) {
		base := filepath.Base(m[1])
		if _, rest, ok := strings.Cut(base, "-"); ok && edited.MatchString(base) {
			base = rest
		}
		if n, err := strconv.Atoi(m[2]); base == filepath.Base(pl.File) && (!byLine || err == nil && n == pl.Line) {
			return true
		}
	}
	return false
}

var (
	position = regexp.MustCompile(`(?m)^(\S+\.go):(\d+)(?::\d+)?: `)
	edited   = regexp.MustCompile(`^[0-9a-f]{16}-`) // points.Prepare names edited files so
)

// noBuild words that the program with points does not compile, though the plain
// one does: a bug of Hocket's. The compiler speaks of texts that the user does
// not have, so none of it is shown.
func noBuild(e *instrument.BuildError) error {
	if noDetector.MatchString(e.Output) {
		return errors.New("an ordinary build shows a data race only with -race, which needs cgo and a C compiler: install one, or set CGO_ENABLED=1")
	}
	return bug.Errorf("the program with points does not compile")
}

// noDetector matches what the go command says where -race can't be used.
var noDetector = regexp.MustCompile(`-race requires cgo|-race is not supported|C compiler .* not found`)
