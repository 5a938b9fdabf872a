package verify

import (
	"slices"
	"testing"
)

// TestRetries: what callers notice of an atomic change that depends on a check is told.
func TestRetries(t *testing.T) {
	in := func(body string) map[string][]byte {
		return map[string][]byte{"p.go": []byte("package p\n\nfunc (l *limiter) take(n int64) bool {\n" + body + "\n\treturn false\n}\n")}
	}
	before := in("\tif l.left.Load() >= n {\n\t\tl.left.Add(-n)\n\t\treturn true\n\t}")
	once := "l.left.CompareAndSwap is not tried again: it may also fail because others came in between"
	back := "what is added to l.left is taken back if it was too much: others see it meanwhile"
	for _, test := range []struct {
		name, after string
		want        []string
	}{
		{"in a loop", "\tfor old := l.left.Load(); old >= n; old = l.left.Load() {\n\t\tif l.left.CompareAndSwap(old, old-n) {\n\t\t\treturn true\n\t\t}\n\t}", nil},
		{"once", "\tif old := l.left.Load(); old >= n && l.left.CompareAndSwap(old, old-n) {\n\t\treturn true\n\t}", []string{once}},
		{"of a state", "\tif l.left.CompareAndSwap(1, 0) {\n\t\treturn true\n\t}", nil},
		{"taken back", "\tif l.left.Add(-n) >= 0 {\n\t\treturn true\n\t}\n\tl.left.Add(n)", []string{back}},
		{"at the end", "\tl.left.Add(-n)\n\tdefer l.left.Add(n)", nil},
		{"of another one", "\tl.left.Add(-n)\n\tl.used.Add(n)", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := retries(before, in(test.after)); !slices.Equal(got, test.want) {
				t.Errorf("told %q, want %q", got, test.want)
			}
			if got := retries(in(test.after), in(test.after)); got != nil {
				t.Errorf("told %q of what was there", got)
			}
		})
	}
}
