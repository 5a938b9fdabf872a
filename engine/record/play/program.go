package play

import (
	"cmp"
	"context"
	"debug/elf"
	"debug/gosym"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/record"
	"github.com/hocket-dev/hocket/engine/rt"
	"github.com/hocket-dev/hocket/internal/process"
	"github.com/hocket-dev/hocket/internal/temp"
)

// DefaultTimeout is how long a run may take.
const DefaultTimeout = time.Minute

// dumpTime is how long a process that is asked for its goroutines may take to end.
const dumpTime = 3 * time.Second

// Program is a recording build of one target. Its methods may be called one at a time.
type Program struct {
	Binary  *instrument.Binary
	Timeout time.Duration // of one run; 0: DefaultTimeout
	Env     []string      // added to the environment of each run
	Args    []string      // of each run, in place of the target's; nil: those

	dir    string // for logs and plans
	names  *gosym.Table
	noName error
	text   uint64 // address of runtime.text
}

// New returns a program. Close it.
func New(bin *instrument.Binary) (*Program, error) {
	// A log is written by each operation: memory is the place for it.
	dir, err := temp.DirIn("/dev/shm", "record")
	if err != nil {
		if dir, err = temp.DirIn("", "record"); err != nil {
			return nil, fmt.Errorf("make a folder for logs: %w", err)
		}
	}
	return &Program{Binary: bin, dir: dir}, nil
}

// Close removes the program's files.
func (p *Program) Close() { os.RemoveAll(p.dir) }

// ended is how a process ended.
type ended struct {
	outcome record.Outcome
	failure string
	output  string
	exit    int
	took    time.Duration
}

// run runs one process.
func (p *Program) run(ctx context.Context, env ...string) (*ended, error) {
	t := p.Binary.Target
	args := p.Args
	if args == nil {
		args = t.RunArgs()
	}
	cmd := exec.Command(p.Binary.Path, args...)
	cmd.Dir = t.Dir
	cmd.Env = append(t.Environ(env...), p.Env...)
	out := &process.Tail{}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = dumpTime // a grandchild may keep the output open
	start := time.Now()
	proc, err := process.Start(ctx, cmd)
	if err != nil {
		return nil, fmt.Errorf("start the program: %w", err)
	}
	done := make(chan error, 1)
	go func() { done <- proc.Wait() }()
	e := &ended{outcome: record.Passed}
	limit := time.NewTimer(cmp.Or(p.Timeout, DefaultTimeout))
	defer limit.Stop()
	select {
	case err = <-done:
	case <-ctx.Done():
		proc.Kill()
		<-done
		return nil, ctx.Err()
	case <-limit.C:
		e.outcome = record.Timeout
		proc.Dump()
		select {
		case err = <-done:
		case <-time.After(dumpTime):
			proc.Kill()
			err = <-done
		}
	}
	e.took = time.Since(start)
	e.output = out.String()
	var exit *exec.ExitError
	switch {
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
	case !errors.As(err, &exit):
		return nil, fmt.Errorf("run the program: %w", err)
	case e.outcome != record.Passed:
	case !exit.Exited():
		e.outcome = record.Killed
	default:
		e.outcome, e.exit = record.Failed, exit.ExitCode()
	}
	e.failure = FailureOf(e.output, e.exit, e.outcome, OnlyLogs(p.Binary.Target.Dir))
	return e, nil
}

var logCall = regexp.MustCompile(`\.Logf?\(`)

// OnlyLogs is for FailureOf: whether the statement at a place of the output of a test in a
// folder is a call of Log or Logf. One whose text can't be read is none.
func OnlyLogs(dir string) func(place string) bool {
	return func(place string) bool {
		file, number, _ := strings.Cut(place, ":")
		n, err := strconv.Atoi(number)
		text, err2 := os.ReadFile(filepath.Join(dir, file))
		if err != nil || err2 != nil {
			return false
		}
		lines := strings.Split(string(text), "\n")
		return n >= 1 && n <= len(lines) && logCall.MatchString(lines[n-1])
	}
}

// Whole has the program run as the go command ran it when it tested a whole package:
// args are what it was given.
func (p *Program) Whole(args []string) {
	p.Args = []string{}
	for _, a := range args {
		if strings.HasPrefix(a, "-test.testlogfile=") {
			a = "-test.testlogfile=" + filepath.Join(p.dir, "testlog")
		}
		p.Args = append(p.Args, a)
	}
}

// Record records a run.
func (p *Program) Record(ctx context.Context) (*record.Run, error) {
	dir, err := os.MkdirTemp(p.dir, "run")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	e, err := p.run(ctx, rt.EnvRecord+"="+dir)
	if err != nil {
		return nil, err
	}
	logs, _ := filepath.Glob(filepath.Join(dir, "*.hklog"))
	if len(logs) == 0 {
		return nil, fmt.Errorf("the program left no log: %s", cmp.Or(e.failure, "it ended before it began to record"))
	}
	r, err := record.ReadLog(logs[0])
	if err != nil {
		return nil, err
	}
	t := p.Binary.Target
	r.Package, r.Entry, r.Args, r.Took = t.ImportPath, t.Entry, t.Args, e.took
	r.Outcome, r.Failure, r.Exit = e.outcome, e.failure, e.exit
	p.Name(r)
	return r, nil
}

// Name fills in what the goroutines began in.
func (p *Program) Name(r *record.Run) {
	r.Name(func(entry uint32) string {
		if f := p.function(uint64(entry)); f != nil {
			return f.Name
		}
		return ""
	})
}

// function is the function at an address relative to runtime.text; nil: not known.
func (p *Program) function(pc uint64) *gosym.Func {
	if p.names == nil && p.noName == nil {
		p.names, p.text, p.noName = symbols(p.Binary.Path)
	}
	if p.noName != nil {
		return nil
	}
	return p.names.PCToFunc(p.text + pc)
}

// place is the source line of an address relative to runtime.text.
func (p *Program) place(pc uint64) (file string, line int, fn string) {
	f := p.function(pc)
	if f == nil {
		return "", 0, ""
	}
	file, line, _ = p.names.PCToLine(p.text + pc)
	return file, line, f.Name
}

func symbols(path string) (*gosym.Table, uint64, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	text, tab := f.Section(".text"), f.Section(".gopclntab")
	if text == nil || tab == nil {
		return nil, 0, errors.New("no table of functions")
	}
	data, err := tab.Data()
	if err != nil {
		return nil, 0, err
	}
	t, err := gosym.NewTable(nil, gosym.NewLineTable(data, text.Addr))
	if err != nil {
		return nil, 0, err
	}
	start := text.Addr
	if syms, err := f.Symbols(); err == nil { // with cgo other code comes first
		for _, s := range syms {
			if s.Name == "runtime.text" {
				start = s.Value
			}
		}
	}
	return t, start, nil
}
