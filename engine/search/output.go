package search

import "strings"

const (
	saidLines = 2
	saidBytes = 200
)

// lastLines are the last lines of an output, on one line. The list of flags that
// package flag prints after what is wrong with them says nothing about it.
func lastLines(output string) string {
	var said []string
	for line := range strings.Lines(output) {
		line = strings.Join(strings.Fields(line), " ")
		if len(said) > 0 && (strings.HasPrefix(line, "Usage of ") || line == "Usage:") {
			break
		}
		if line != "" {
			said = append(said, line)
		}
	}
	said = said[max(0, len(said)-saidLines):]
	s := strings.Join(said, " / ")
	if len(s) > saidBytes {
		s = "..." + strings.ToValidUTF8(s[len(s)-saidBytes:], "")
	}
	return s
}
