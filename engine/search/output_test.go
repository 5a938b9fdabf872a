package search

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestLastLines(t *testing.T) {
	for output, want := range map[string]string{
		"": "", "\n \n": "",
		"flag provided but not defined: -x\nUsage of ./prog:\n  -a\tfirst\n": "flag provided but not defined: -x",
		"Usage: prog FILE\n":             "Usage: prog FILE",
		"start\nread\nno such\tfile\n\n": "read / no such file",
	} {
		if got := lastLines(output); got != want {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
	if got := lastLines(strings.Repeat("é", 500) + "x end"); len(got) > saidBytes+3 || !utf8.ValidString(got) || !strings.HasSuffix(got, "é"+"x end") {
		t.Errorf("%q", got)
	}
}
