package jobs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine"
)

// Command is a child process.
type Command struct {
	Path string
	Args []string // without the program's name
	Dir  string
	Env  []string // nil: as this process's
}

const (
	// grace is what an interrupted child has to print what it knows; a find
	// takes less than a second.
	grace = 2 * time.Second
	// drain is how long a process that outlives the child may hold its pipes.
	drain = 500 * time.Millisecond
	// maxOutput bounds the answer; the report of a large find has some 100 KB.
	maxOutput = 16 << 20
)

// runChild runs a job's process. It returns when nothing of it is left.
func runChild(ctx context.Context, j *Job, progress func(engine.Update)) (*Result, error) {
	command, cleanup, err := j.Prepare(ctx)
	if cleanup != nil {
		defer cleanup()
	}
	if err != nil {
		return nil, err
	}
	c := &child{title: j.Title, limit: j.Limit, log: newJournal(progress), over: make(chan struct{})}
	return c.run(ctx, command)
}

// child is a running process and its output.
type child struct {
	title string
	limit time.Duration
	cmd   *exec.Cmd
	stdin io.Closer
	out   bytes.Buffer
	log   *journal
	over  chan struct{} // closed when the answer is too long
	hung  bool          // stopped at the limit
}

func (c *child) run(ctx context.Context, command Command) (*Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c.cmd = exec.Command(command.Path, command.Args...)
	c.cmd.Dir, c.cmd.Env = command.Dir, command.Env
	c.cmd.Stdout, c.cmd.Stderr = (*answer)(c), c.log
	c.cmd.WaitDelay = drain
	ownGroup(c.cmd)
	var err error
	if c.stdin, err = c.cmd.StdinPipe(); err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		return nil, c.failure(fmt.Sprintf("can't be started: %v", err))
	}
	ended, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		c.watch(ctx, ended)
	}()
	err = c.cmd.Wait()
	close(ended)
	<-watched
	sweep(c.cmd.Process.Pid)
	c.log.close()
	return c.judge(err)
}

// watch stops the child when it is cancelled, takes too long or prints too much.
func (c *child) watch(ctx context.Context, ended <-chan struct{}) {
	var limit <-chan time.Time
	if c.limit > 0 {
		t := time.NewTimer(c.limit)
		defer t.Stop()
		limit = t.C
	}
	select {
	case <-ended:
		return
	case <-ctx.Done():
	case <-c.over:
	case <-limit:
		c.hung = true
	}
	// The interrupt comes first and alone: where both reach the child at once,
	// one of them is its second Ctrl-C.
	_ = c.cmd.Process.Signal(os.Interrupt)
	if closedWithin(ended, grace/2) {
		return
	}
	_ = c.stdin.Close()
	if closedWithin(ended, grace/2) {
		return
	}
	sweep(c.cmd.Process.Pid)
	_ = c.cmd.Process.Kill()
}

// closedWithin reports whether ended was closed within d.
func closedWithin(ended <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ended:
		return true
	case <-t.C:
		return false
	}
}

// answer collects stdout. What is beyond the bound is read and dropped, for a
// child that is blocked in a write would not see its interrupt.
type answer child

func (a *answer) Write(b []byte) (int, error) {
	if a.out.Len()+len(b) <= maxOutput {
		return a.out.Write(b)
	}
	select {
	case <-a.over:
	default:
		close(a.over)
	}
	return len(b), nil
}

// judge tells an answer apart from a failure. The exit code decides nothing: a find
// that was cut short or found something ends with another than 0.
func (c *child) judge(err error) (*Result, error) {
	state := c.cmd.ProcessState
	select {
	case <-c.over:
		return nil, c.failure(fmt.Sprintf("its answer is larger than %d MiB; search fewer packages at once", maxOutput>>20))
	default:
	}
	out := bytes.TrimSpace(c.out.Bytes())
	switch {
	case len(out) > 0 && json.Valid(out):
		return &Result{Output: out, Exit: state.ExitCode(), Log: c.log.tail}, nil
	case c.hung:
		return nil, c.failure(fmt.Sprintf("did not end within %v and was stopped; the server's log has its last lines", c.limit))
	case state == nil:
		return nil, c.failure(fmt.Sprintf("can't be waited for: %v", err))
	case c.log.crash != "":
		return nil, c.failure(fmt.Sprintf("crashed (%s); hocket bug says how to report it", c.log.crash))
	case !state.Exited():
		return nil, c.failure(fmt.Sprintf("was ended by %v; if the system ran out of memory, free some and try again", state))
	case state.ExitCode() != 0:
		return nil, c.failure(c.lastError(state))
	case len(out) > 0:
		return nil, c.failure(fmt.Sprintf("its answer is not JSON: %s", clip(string(out), 80)))
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return nil, c.failure(fmt.Sprintf("its answer can't be read: %v", err))
	}
	return nil, c.failure("ended without an answer; the server's log has its last lines")
}

// lastError is the one line in which a command says why it could not.
func (c *child) lastError(state *os.ProcessState) string {
	if n := len(c.log.tail); n > 0 {
		return strings.TrimPrefix(c.log.tail[n-1], "hocket: ")
	}
	return fmt.Sprintf("ended with %v and printed no error", state)
}

func (c *child) failure(what string) *Failure {
	return &Failure{Title: c.title, What: what, Log: c.log.tail}
}
