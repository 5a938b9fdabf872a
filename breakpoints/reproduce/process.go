package reproduce

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hocket-dev/hocket/breakpoints"
)

const (
	runLimit  = 10 * time.Second // of one run
	settle    = time.Second      // a process that has played its plan and not ended by then is asked who waits where
	dumpLimit = 3 * time.Second  // for writing that dump
	lookEvery = 20 * time.Millisecond
	keptBytes = 1 << 20 // of a run's output
)

// played is what one process did.
type played struct {
	Ended
	report breakpoints.Report
}

// play runs the program once, with a plan.
func play(ctx context.Context, cmd *exec.Cmd, plan, reportName string) (*played, error) {
	os.Remove(reportName)
	cmd.Env = append(cmd.Env, "GOTRACEBACK=all", breakpoints.EnvPlan+"="+plan, breakpoints.EnvReport+"="+reportName)
	out := &tail{}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = dumpLimit // a grandchild may keep the output open
	r := &played{}
	start, end := time.Now(), time.Time{}
	err := attend(ctx, cmd, func(now time.Time) bool {
		if data, err := os.ReadFile(reportName); end.IsZero() && err == nil && bytes.Contains(data, []byte("played\n")) {
			end = now
		}
		r.Quit = now.Sub(start) > runLimit || !end.IsZero() && now.Sub(end) > settle
		return r.Quit
	})
	if cmd.ProcessState == nil {
		return nil, err
	}
	r.Exit, r.Output = cmd.ProcessState.ExitCode(), out.String()
	r.report, err = breakpoints.ReadReport(reportName)
	r.Dump = r.report.Dump
	return r, err
}

// attend starts a command in a group of its own and waits for its end. Once
// enough says so it is asked for its goroutines, then killed; when ctx ends it
// is killed at once.
func attend(ctx context.Context, cmd *exec.Cmd, enough func(now time.Time) bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	started := make(chan error, 1)
	done := make(chan error, 1)
	go func() {
		// The kernel ends the process with the thread that started it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		ownGroup(cmd)
		err := cmd.Start()
		started <- err
		if err == nil {
			done <- cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	defer killGroup(cmd) // what it left behind
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			killGroup(cmd)
			<-done
			return ctx.Err()
		case now := <-tick.C:
			if !enough(now) {
				continue
			}
			cmd.Process.Signal(syscall.SIGQUIT)
			select {
			case err := <-done:
				return err
			case <-time.After(dumpLimit):
				killGroup(cmd)
				return <-done
			}
		}
	}
}

// ownGroup asks for what the system has: a process group of its own, and to be
// killed when this process is. Not all systems have the fields.
func ownGroup(cmd *exec.Cmd) {
	attr := &syscall.SysProcAttr{}
	v := reflect.ValueOf(attr).Elem()
	if f := v.FieldByName("Setpgid"); f.IsValid() {
		f.SetBool(true)
	}
	if f := v.FieldByName("Pdeathsig"); f.IsValid() {
		f.SetInt(int64(syscall.SIGKILL))
	}
	cmd.SysProcAttr = attr
}

// killGroup kills the process and, where there are groups, what it started. A
// negative number stands for a group.
func killGroup(cmd *exec.Cmd) {
	if p, err := os.FindProcess(-cmd.Process.Pid); err == nil {
		p.Signal(syscall.SIGKILL)
	}
	cmd.Process.Kill()
}

// output runs a command and gives what it prints.
func output(ctx context.Context, cmd *exec.Cmd) (string, error) {
	var out, both tail
	cmd.Stdout, cmd.Stderr = &out, &both
	err := attend(ctx, cmd, func(time.Time) bool { return false })
	if err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", &commandError{cmd, err, strings.TrimSpace(both.String() + out.String())}
	}
	return out.String(), nil
}

// commandError is a command that failed, with its output.
type commandError struct {
	cmd    *exec.Cmd
	err    error
	output string
}

func (e *commandError) Error() string {
	return strings.Join(e.cmd.Args[:2], " ") + ": " + e.err.Error() + ": " + e.output
}

func (e *commandError) Unwrap() error { return e.err }

// tail keeps the first and the last half of a long output.
type tail struct {
	mu        sync.Mutex
	head, end []byte
	cut       bool
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(b)
	if room := keptBytes/2 - len(t.head); room > 0 {
		if room > n {
			room = n
		}
		t.head, b = append(t.head, b[:room]...), b[room:]
	}
	t.end = append(t.end, b...)
	if over := len(t.end) - keptBytes/2; over > keptBytes/4 {
		t.end, t.cut = append([]byte(nil), t.end[over:]...), true
	}
	return n, nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cut {
		return string(t.head) + "\n[...]\n" + string(t.end)
	}
	return string(t.head) + string(t.end)
}
