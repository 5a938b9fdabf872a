// Package words has what several packages need to put texts together.
package words

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	return slices.Sorted(maps.Keys(m))
}

// OneLine makes an error message fit on one line.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
