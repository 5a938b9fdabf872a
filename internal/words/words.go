// Package words has the small forms of text that messages consist of.
package words

import (
	"fmt"
	"strings"
)

// OneLine is a text with each run of white space as one space.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// FirstLine is the first line of a text, without space around it.
func FirstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return strings.TrimSpace(s)
}

// FirstLines are the first n lines of a text, without the space around it.
func FirstLines(s string, n int) string {
	lines := strings.SplitN(strings.TrimSpace(s), "\n", n+1)
	return strings.Join(lines[:min(n, len(lines))], "\n")
}

// Count is a number of things whose plural ends in s: "1 run", "2 runs".
func Count(n int, thing string) string { return CountOf(n, thing, thing+"s") }

// CountOf is a number of things with both forms of their name: "2 switches".
func CountOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
