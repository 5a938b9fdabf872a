package verify

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/site"
)

// lost names a line at which every passing run did something before, that the edit left
// as it was, and at which no run does anything any more. "" if there is none.
func (c *check) lost(after *work) string {
	var gone []string
	for file, lines := range c.worked.passed {
		if !site.InMain(file) {
			continue
		}
		hs := c.hunks[c.Roots.Abs(file)]
		copied := variants(c.before[c.Roots.Abs(file)], c.files[c.Roots.Abs(file)])
		for l, n := range lines {
			to := carried(hs, l)
			if n < c.worked.runs || len(to) != 1 || touched(hs, l, l) || c.isEnd(file, l) || copied[l] {
				continue
			}
			if after.lines[file][to[0]] == 0 && !c.replacedCall(line{file, l}, after) {
				gone = append(gone, fmt.Sprintf("%s:%d", filepath.Base(file), l))
			}
		}
	}
	if len(gone) == 0 {
		return ""
	}
	slices.Sort(gone)
	return "line " + gone[0] + " is not executed any more"
}

// isEnd reports whether a line only closes blocks: what happens there is deferred.
func (c *check) isEnd(file string, l int) bool {
	lines := strings.Split(string(c.Code.Text(c.Roots.Abs(file))), "\n")
	return l <= len(lines) && strings.Trim(lines[l-1], " \t\r})") == ""
}

// unseen names a line of the cause at which the program with the fix does nothing any
// more. Lines that the fix replaced are left to the other rules.
func (c *check) unseen(after *work) string {
	for _, a := range c.Finding.RootCause {
		if a.Op == "end" || a.Op == "go" || a.Op == "start" || a.Op == "lock" || a.Op == "rlock" || !site.InMain(a.File) {
			continue
		}
		if c.worked.lines[a.File][a.Line] == 0 {
			continue // runs name another line of it: a select by its first
		}
		hs := c.hunks[c.Roots.Abs(a.File)]
		lines := carried(hs, a.Line)
		if len(lines) == 1 && !touched(hs, a.Line, a.Line) && after.lines[a.File][lines[0]] == 0 && !c.replacedCall(line{a.File, a.Line}, after) {
			return fmt.Sprintf("line %s:%d of the cause does nothing any more", filepath.Base(a.File), a.Line)
		}
	}
	return ""
}

// replacedCall reports whether the edit replaced the calls through which runs came to a
// line by something that is executed: what a helper did may be done in place. A line that
// changes something must be changed elsewhere then.
func (c *check) replacedCall(l line, after *work) bool {
	ways := c.worked.via[l]
	if len(ways) == 0 || slices.ContainsFunc(ways, func(way []line) bool {
		return !slices.ContainsFunc(way, func(at line) bool { return c.replacedBy(at, after) })
	}) {
		return false
	}
	for _, what := range changedAt(c.Code.Text(c.Roots.Abs(l.file)), l.n) {
		was, is := 0, 0
		for file := range c.files {
			was += changesOf(c.before[file], what)
			is += changesOf(c.files[file], what)
		}
		if is <= was { // the one that is left is not executed
			return false
		}
	}
	return true
}

// replacedBy reports whether lines that are executed stand in the place of one.
func (c *check) replacedBy(at line, after *work) bool {
	for _, h := range c.hunks[c.Roots.Abs(at.file)] {
		if h.From <= at.n && at.n < h.To {
			for n := h.NewFrom; n < h.NewTo; n++ {
				if after.lines[at.file][n] > 0 {
					return true
				}
			}
		}
	}
	return false
}
