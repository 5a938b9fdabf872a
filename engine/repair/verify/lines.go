package verify

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/hocket-dev/hocket/engine/report"
)

// hunk is a range of lines of the old text, from 1, that was replaced by a range of the
// new one. Either may be empty: To is From then.
type hunk struct {
	From, To       int // old lines [From, To)
	NewFrom, NewTo int
}

// hunks are the lines that differ.
func hunks(before, after []byte) []hunk {
	list, _ := differ(before, after)
	return list
}

// differ compares two texts line by line: the hunks, and the new text of each. It reads
// the unified diff that package diff makes, which matches lines as people would.
func differ(before, after []byte) (list []hunk, texts []string) {
	old, new := 0, 0 // lines behind us
	open := false
	for line := range strings.Lines(string(diff.Diff("a", before, "b", after))) {
		var n int
		switch {
		case strings.HasPrefix(line, "diff ") || strings.HasPrefix(line, "--- ") && old == 0 || strings.HasPrefix(line, "+++ ") && new == 0:
			continue
		case strings.HasPrefix(line, "@@ "):
			fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &old, &n, &new, &n)
			old, new = old-1, new-1
			if strings.Contains(line, "-0,0") {
				old = 0
			}
			open = false
			continue
		case strings.HasPrefix(line, "\\"): // no line end at the end
			if n := len(texts); open && n > 0 {
				texts[n-1] = strings.TrimSuffix(texts[n-1], "\n")
			}
			continue
		case strings.HasPrefix(line, " "):
			old, new, open = old+1, new+1, false
			continue
		}
		if !open {
			list, texts = append(list, hunk{old + 1, old + 1, new + 1, new + 1}), append(texts, "")
			open = true
		}
		h := &list[len(list)-1]
		if line[0] == '-' {
			old++
			h.To++
		} else {
			new++
			h.NewTo++
			texts[len(texts)-1] += line[1:]
		}
	}
	return list, texts
}

// carried is where a line of the old text is in the new one: one line if it is as it was,
// all that stands in its place if it was replaced, none if it is gone.
func carried(hs []hunk, line int) (lines []int) {
	shift := 0
	for _, h := range hs {
		switch {
		case line < h.From:
			return []int{line + shift}
		case line < h.To:
			for l := h.NewFrom; l < h.NewTo; l++ {
				lines = append(lines, l)
			}
			return lines
		}
		shift += (h.NewTo - h.NewFrom) - (h.To - h.From)
	}
	return []int{line + shift}
}

// touched reports whether hunks replace or insert within a range of old lines.
func touched(hs []hunk, from, to int) bool {
	return slices.ContainsFunc(hs, func(h hunk) bool {
		return h.From <= to && h.To > from || h.From == h.To && from < h.From && h.From <= to
	})
}

// Edits are the edits that make one text of a file into another, as whole lines.
func Edits(file string, before, after []byte) (list []report.FixEdit) {
	hs, texts := differ(before, after)
	for i, h := range hs {
		list = append(list, report.FixEdit{File: file, Start: startOf(before, h.From), End: startOf(before, h.To), Text: texts[i]})
	}
	return list
}

// startOf is the start of a line, or the end of a text that has no more lines.
func startOf(text []byte, line int) report.Pos {
	n := bytes.Count(text, []byte("\n"))
	if line > n+1 { // the last line has no line end
		last := bytes.LastIndexByte(text, '\n') + 1
		return report.Pos{Line: n + 1, Column: len(text) - last + 1}
	}
	return report.Pos{Line: line, Column: 1}
}
