package verify

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hocket-dev/hocket/engine/repair"
	"github.com/hocket-dev/hocket/internal/testmodule"
)

// TestRetries: what callers notice of an atomic change that depends on a check is told.
func TestRetries(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "p.go")
	in := func(body string) map[string][]byte {
		return map[string][]byte{name: []byte("package p\n\nimport (\n\t\"sync\"\n\t\"sync/atomic\"\n)\n\ntype limiter struct {\n\tleft, used atomic.Int64\n\tall sync.WaitGroup\n}\n\nfunc (l *limiter) take(n int64) bool {\n" + body + "\n\treturn false\n}\n")}
	}
	before := in("\tif l.left.Load() >= n {\n\t\tl.left.Add(-n)\n\t\treturn true\n\t}")
	testmodule.Write(t, filepath.Join(dir, "go.mod"), "module p\n\ngo 1.26\n")
	testmodule.Write(t, name, string(before[name]))
	code, err := repair.Load(context.Background(), dir, nil, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	retries := func(before, after map[string][]byte) []string {
		return (&check{Verifier: &Verifier{Request: Request{Code: code}}, before: before, files: after}).retries()
	}
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
		{"in a loop over a range", "\tfor range 3 {\n\t\tif old := l.left.Load(); old >= n && l.left.CompareAndSwap(old, old-n) {\n\t\t\treturn true\n\t\t}\n\t}", nil},
		{"of a group", "\tl.all.Add(1)\n\tl.all.Add(-1)", nil},
		{"on different ways", "\tif n > 0 {\n\t\tl.left.Add(1)\n\t} else {\n\t\tl.left.Add(-1)\n\t}", nil},
		{"after leaving", "\tif n > 0 {\n\t\tl.left.Add(1)\n\t\treturn true\n\t}\n\tl.left.Add(-1)", nil},
		{"taken back in a branch", "\tif l.left.Add(-1) < 0 {\n\t\tl.left.Add(1)\n\t\treturn false\n\t}", []string{back}},
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
