package engine

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	return slices.Sorted(maps.Keys(m))
}

// oneLine makes an error message fit on one line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
