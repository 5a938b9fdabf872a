package instrument

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/internal/process"
)

// CgoError means that the target can't be built for the controlled scheduler:
// one of its packages needs C code.
type CgoError struct {
	Target  Target
	Package string
	File    string // base name
}

func (e *CgoError) Error() string {
	return fmt.Sprintf("%s uses cgo (%s of package %s); C code can't be controlled", e.Target.ImportPath, e.File, e.Package)
}

// cgo looks for a package outside std that has cgo files, after a build
// without cgo has failed; nil if there is none.
func (tc *Toolchain) cgo(ctx context.Context, t Target) error {
	const format = `{{if not .Standard}}{{range .CgoFiles}}{{$.ImportPath}} {{.}}{{"\n"}}{{end}}{{end}}`
	args := append([]string{"list", "-e", "-deps", "-f", format}, slices.Concat(t.Flags, t.Overlay.Flags())...)
	if t.Test {
		args = append(args, "-test")
	}
	cmd := tc.Command(ctx, t, append(args, ".")...)
	cmd.Env = append(cmd.Env, "CGO_ENABLED=1")
	text, err := process.Output(ctx, cmd)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		pkg, file, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok && !strings.Contains(pkg, " ") {
			return &CgoError{t, pkg, file}
		}
	}
	return nil
}
