// Package choice checks the values of flags that take one of several names.
package choice

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Check checks *value, sets the default, and tells unknown choices from those
// that are not built yet.
func Check(flag string, value *string, def string, known map[string]bool) error {
	if *value == "" {
		*value = def
	}
	works, ok := known[*value]
	if works {
		return nil
	}
	names := strings.Join(Working(known), ", ")
	if ok {
		return fmt.Errorf("%s %s is not built yet; use one of %s", flag, *value, names)
	}
	return fmt.Errorf("%s %q is unknown; use one of %s", flag, *value, names)
}

// Working are the sorted names of those that work.
func Working(known map[string]bool) (names []string) {
	for _, n := range slices.Sorted(maps.Keys(known)) {
		if known[n] {
			names = append(names, n)
		}
	}
	return names
}
