package projection

import (
	"cmp"
	"path"
	"regexp"
	"strings"
)

// placeText is a place in parentheses, as sentences have it after what happened there.
var placeText = regexp.MustCompile(`\((line )?(?:([^\s():]+\.go):)?(\d+)(?:, called at (?:([^\s():]+\.go):)?(\d+))?\)`)

// inFiles names the file of a place in a sentence where it is another than that of the
// place before, and not where it is the same. A place without a file is of the file
// in which the run failed. Code in backquotes stays as it is.
func (a *analysis) inFiles(sentence string) string {
	failed := a.failurePlace().File
	if failed != "" {
		failed = path.Base(failed)
	}
	said := failed
	parts := strings.Split(sentence, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = placeText.ReplaceAllStringFunc(parts[i], func(s string) string {
			m := placeText.FindStringSubmatch(s)
			place := func(word, file, line string) string {
				if file = cmp.Or(file, failed); file == said {
					return word + line
				}
				said = file
				return file + ":" + line
			}
			out := place(m[1], m[2], m[3])
			if m[5] != "" {
				out += ", called at " + place("", m[4], m[5])
			}
			return "(" + out + ")"
		})
	}
	return strings.Join(parts, "`")
}
