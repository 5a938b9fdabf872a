//go:build !noz3 && (linux || darwin) && (amd64 || arm64)

package libz3

import (
	"errors"
	"strings"
	"testing"
)

func TestAbsent(t *testing.T) {
	for _, c := range []struct {
		name string
		libs []string
		want []string
	}{
		{"no library", []string{"libz3-of-nobody.so.4"}, []string{"libz3-of-nobody.so.4"}},
		{"another library", []string{"libz3-of-nobody.so.4", otherLibrary}, []string{otherLibrary, "Z3_"}},
	} {
		_, err := load(c.libs)
		if !errors.Is(err, ErrAbsent) {
			t.Fatalf("%s: %v", c.name, err)
		}
		for _, w := range append(c.want, "apt install libz3-dev") {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q does not name %q", c.name, err, w)
			}
		}
	}
}
