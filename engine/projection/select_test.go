package projection

import "testing"

// A select of which no user's code is on the stack, say in a goroutine of the standard
// library, has no case to be named.
func TestSelectElsewhere(t *testing.T) {
	a := &analysis{}
	for _, e := range []entry{{ev: 0}, {ev: -1}} {
		if line, text := a.selectCase(e); line != 0 || text != "" {
			t.Errorf("%v: line %d, %q", e, line, text)
		}
	}
}
