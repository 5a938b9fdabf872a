package inject

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
)

// vendored moves sides in the module cache to the vendored copies of their
// files, if those are what the go command builds: a breakpoint may be older
// than the vendor folder.
func (sc Scope) vendored(ctx context.Context, sides []Side) []Side {
	var out []Side
	for _, s := range sides {
		if dir := filepath.Dir(s.File); strings.Contains(dir, "@v") {
			if built := sc.builtFrom(ctx, dir); built != "" {
				s.File = sameText(filepath.Join(built, filepath.Base(s.File)), s.File)
			}
		}
		out = append(out, s)
	}
	return out
}

// builtFrom returns the folder from which the go command builds a package; ""
// if it is unknown.
func (sc Scope) builtFrom(ctx context.Context, dir string) string {
	if sc.loads != nil && sc.loads.dirs[dir] != "" {
		return sc.loads.dirs[dir]
	}
	args := append(append([]string{"list", "-e", "-find", "-f", "{{.Dir}}"}, sc.Flags...), sc.Overlay.Flags()...)
	out, err := sc.goOutput(ctx, append(args, "--", dir))
	if err != nil {
		return ""
	}
	built := strings.TrimSpace(string(out))
	if sc.loads != nil {
		sc.loads.dirs[dir] = built
	}
	return built
}

// sameText returns the file a if its text is that of b, else b.
func sameText(a, b string) string {
	x, err := os.ReadFile(a)
	y, err2 := os.ReadFile(b)
	if err != nil || err2 != nil || !bytes.Equal(x, y) {
		return b
	}
	return a
}
