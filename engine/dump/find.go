package dump

import "strings"

// Failure is where a text tells of a failure.
type Failure struct {
	Line int // from 1
	Kind Kind
}

// maxShown bounds the texts in which failures are shown, in bytes.
const maxShown = 8 << 20

// Failures are those that a text tells of, in the order of Read; none if it is no
// artefact, or a very large one.
func Failures(text string) (out []Failure) {
	if len(text) > maxShown || !hints(text) {
		return nil
	}
	states, err := Read(strings.NewReader(text), "text")
	if err != nil {
		return nil
	}
	for _, s := range states {
		out = append(out, Failure{s.Line, s.Kind})
	}
	return out
}

// hints is false for nearly all other texts, and cheap.
func hints(text string) bool {
	for _, h := range []string{"\ngoroutine ", "goroutine profile: ", "panic: ", "fatal error: ", "WARNING: DATA RACE", "--- FAIL: "} {
		if strings.Contains(text, h) || strings.HasPrefix(text, strings.TrimPrefix(h, "\n")) {
			return true
		}
	}
	return false
}
