package harness

import (
	"slices"
	"strings"
	"testing"
)

func TestLinesOfATwin(t *testing.T) {
	for name, c := range map[string]struct {
		a, b string
		want []int
	}{
		"same":     {"a b c", "a b c", []int{1, 2, 3}},
		"inserted": {"a b c", "a x y b c", []int{1, 4, 5}},
		"removed":  {"a b c d", "a d", []int{1, 2, 2, 2}},
		"changed":  {"a b c", "a x c", []int{1, 2, 3}},
		"shorter":  {"a b", "a", []int{1, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := matchLines(strings.Fields(c.a), strings.Fields(c.b))[1:]; !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}
