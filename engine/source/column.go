package source

import (
	"regexp"
	"strings"
)

// Column finds an operation on a line: the first of the given texts that occurs
// there as a whole (words are not found inside longer words), in bytes from 1.
// Without a match it is the first column that is not space, 1 if the line is
// unknown.
func (f *File) Column(line int, texts ...string) int {
	raw := f.raw(line)
	for _, t := range texts {
		if t == "" {
			continue
		}
		if i := findWord(raw, t); i >= 0 {
			return i + 1
		}
	}
	return len(raw) - len(strings.TrimLeft(raw, " \t")) + 1
}

var wordStart = regexp.MustCompile(`^\w`)
var wordEnd = regexp.MustCompile(`\w$`)

func findWord(line, text string) int {
	pat := regexp.QuoteMeta(text)
	if wordStart.MatchString(text) {
		pat = `\b` + pat
	}
	if wordEnd.MatchString(text) {
		pat += `\b`
	}
	if loc := regexp.MustCompile(pat).FindStringIndex(line); loc != nil {
		return loc[0]
	}
	return -1
}
