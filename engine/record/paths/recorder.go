package paths

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/image"
	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/tracedb"
	"github.com/hocket-dev/hocket/internal/process"
	"github.com/hocket-dev/hocket/internal/temp"
)

// Mode is how the database calls recordings of this package.
const Mode = "paths"

// LogVariable names the log in a recording program's environment.
const LogVariable = "HOCKET_PATHS"

// Recorder is a program that records.
type Recorder struct {
	Binary  *instrument.Binary
	Program *tracedb.Program
	Places  int      // branches of the main modules
	Left    []string // what is not recorded, a line each

	funcs *image.Image
	loops []Loop
	names map[string]string
}

// For is the recorder of another test of the same package, with its arguments.
func (r *Recorder) For(t instrument.Target) *Recorder {
	out, bin, p := *r, *r.Binary, *r.Program
	bin.Target, p.Entry = t, t.Entry
	out.Binary, out.Program = &bin, &p
	return &out
}

// Loops is how many loops record in bits.
func (r *Recorder) Loops() int { return len(r.loops) }

// Close removes the program.
func (r *Recorder) Close() { os.Remove(r.Binary.Path) }

// Build makes a recording program, which Close removes. name makes paths of files
// portable.
func Build(ctx context.Context, b *instrument.Builder, t instrument.Target, name func(string) string) (*Recorder, error) {
	tc, err := b.Toolchain(ctx, t)
	if err != nil {
		return nil, err
	}
	src, err := write(ctx, tc, t, true)
	if err != nil {
		return nil, err
	}
	bin, err := b.Paths(ctx, t, src.files)
	if err != nil {
		return nil, err
	}
	// Under a name of its own: another build of the target replaces the file.
	if link := bin.Path + "~" + rand.Text()[:12]; os.Link(bin.Path, link) == nil {
		bin.Path = link
	}
	img, err := image.Open(bin.Path)
	if err != nil {
		os.Remove(bin.Path)
		return nil, err
	}
	return &Recorder{Binary: bin, Program: src.described(t, tc.Version, runtime.GOOS, runtime.GOARCH, name), Places: src.places, Left: src.left, funcs: img, loops: src.loops, names: src.names}, nil
}

// Options of a run. The zero value will do.
type Options struct {
	Size    int64         // of the log at most; 0: 1 GB. Less where there is no room
	Timeout time.Duration // 0: none
	Machine string        // a name for it in the database
	Seed    uint64        // of random numbers and the order of maps; 0: any
	Log     string        // a file for the log, which is left there; "": a temporary one
	Unread  bool          // only run: the log is not read, and the run has no paths
	Command func(*exec.Cmd)
}

// smallLog is the least size of a log, in bytes.
const smallLog = 1 << 20

// Recorded is a run that was recorded.
type Recorded struct {
	*tracedb.Run
	Log    *Log
	Output string // what it printed, the middle left out if it was much
	Exit   int    // code of a process that failed
	Took   time.Duration
	CPU    time.Duration
}

// Outcomes of runs beside tracedb.Passed.
const (
	Failed   = "failed"
	Killed   = "killed"
	TimedOut = "timeout"
)

// Run runs the program once and reads what it recorded, however it ended.
func (r *Recorder) Run(ctx context.Context, o Options) (*Recorded, error) {
	if o.Size == 0 {
		o.Size = 1 << 30
	}
	if o.Log == "" {
		dir, err := logFolder(o.Size)
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		o.Log = filepath.Join(dir, "log")
	}
	// A program that writes where the disk has no room would be killed.
	if free, err := freeSpace(filepath.Dir(o.Log)); err == nil {
		if o.Size = min(o.Size, free/2); o.Size < smallLog {
			return nil, fmt.Errorf("no room for a log in %s: %d bytes are free", filepath.Dir(o.Log), free)
		}
	}
	if o.Seed == 0 {
		o.Seed = mathrand.Uint64() | 1
	}
	if err := create(o.Log, o.Size, o.Seed); err != nil {
		return nil, err
	}
	out := &Recorded{Run: &tracedb.Run{Program: r.Program, Machine: o.Machine, Seed: o.Seed, Time: time.Now().UTC()}}
	err := r.start(ctx, o, out)
	if err != nil {
		return nil, err
	}
	if o.Unread {
		return out, nil
	}
	if out.Log, err = ReadLog(o.Log, len(r.Program.Sites), r.loops, r.funcAt); err != nil {
		return nil, err
	}
	out.Threads = out.Log.Threads
	out.Torn = !out.Log.Ended && out.Outcome != Failed || out.Log.Full
	return out, nil
}

// logFolder makes a folder for a log: in memory, where the kernel has a file system
// for that with room to spare, since it writes back to a disk what is removed soon.
func logFolder(size int64) (string, error) {
	const memory = "/dev/shm"
	if free, err := freeSpace(memory); err == nil && free/4 > size {
		if dir, err := temp.DirIn(memory, "paths"); err == nil {
			return dir, nil
		}
	}
	return temp.Dir("paths")
}

func (r *Recorder) funcAt(addr uint64) string {
	f, ok := r.funcs.FuncAt(addr + 1)
	if !ok {
		return ""
	}
	return cmp.Or(r.names[f.Name], f.Name)
}

// start runs the program, and says what became of it.
func (r *Recorder) start(ctx context.Context, o Options, out *Recorded) error {
	limit := ctx
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		limit, cancel = context.WithTimeout(ctx, o.Timeout)
		defer cancel()
	}
	t := r.Binary.Target
	cmd := process.Command(limit, r.Binary.Path, t.RunArgs()...)
	cmd.Dir = t.Dir
	cmd.Env = t.Environ(LogVariable + "=" + o.Log)
	tail := &process.Tail{}
	cmd.Stdout, cmd.Stderr = tail, tail
	if o.Command != nil {
		o.Command(cmd)
	}
	start := time.Now()
	err := process.Run(limit, cmd)
	out.Took, out.Output = time.Since(start), tail.String()
	if s := cmd.ProcessState; s != nil {
		out.CPU = s.UserTime() + s.SystemTime()
	}
	exit := (*exec.ExitError)(nil)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case limit.Err() != nil:
		out.Outcome, out.Failure = TimedOut, fmt.Sprintf("it ran longer than %s", o.Timeout)
	case err == nil:
		out.Outcome = tracedb.Passed
	case !errors.As(err, &exit):
		return fmt.Errorf("run %s: %w", t.ImportPath, err)
	case exit.ExitCode() < 0:
		out.Outcome, out.Failure = Killed, exit.String()
	default:
		out.Outcome, out.Failure, out.Exit = Failed, failure(out.Output), exit.ExitCode()
	}
	return nil
}

// failure is the line of an output that says why a program failed.
func failure(output string) string {
	first := ""
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		for _, mark := range []string{"panic: ", "fatal error: ", "--- FAIL"} {
			if strings.HasPrefix(line, mark) {
				return line
			}
		}
		if first == "" {
			first = line
		}
	}
	return first
}
