package instrument

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/internal/process"
	"github.com/hocket-dev/hocket/internal/temp"
)

// BuildError is a failed go build: the user's program does not compile.
type BuildError struct {
	Target Target
	Output string // of the go command
}

func (e *BuildError) Error() string {
	return fmt.Sprintf("build %s: %s", e.Target.ImportPath, strings.TrimSpace(e.Output))
}

// ErrNoTests means that a package has no test binary.
var ErrNoTests = errors.New("no test files")

// Compile builds the target's program, whatever is put into it, into the file
// out: with the go command goCmd, with flags beside those of the user and
// additions to the environment. If the program does not compile, the error is a
// *BuildError.
func (t Target) Compile(ctx context.Context, goCmd, out string, flags, env []string) error {
	args := []string{"build"}
	if t.Test {
		args = []string{"test", "-c", "-vet=off"}
	}
	// A go command that is killed leaves its files behind: they are below a folder
	// of ours, which is removed then.
	tmp, err := temp.DirIn(os.Getenv("GOTMPDIR"), "go")
	if err != nil {
		return fmt.Errorf("build %s: %w", t.ImportPath, err)
	}
	defer os.RemoveAll(tmp)
	args = slices.Concat(args, t.Flags, flags, []string{"-o", out, "."})
	cmd := process.Go(ctx, goCmd, args...)
	cmd.Dir, cmd.Env = t.Dir, t.Environ(append(slices.Clip(env), "GOTMPDIR="+tmp)...)
	if text, err := process.CombinedOutput(ctx, cmd); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if ee := (*exec.ExitError)(nil); errors.As(err, &ee) {
			return &BuildError{t, string(text)}
		}
		return fmt.Errorf("run the go command to build %s: %w", t.ImportPath, err)
	}
	if _, err := os.Stat(out); err != nil {
		return fmt.Errorf("%s has %w", t.ImportPath, ErrNoTests)
	}
	return nil
}
