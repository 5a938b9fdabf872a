package dap

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

const (
	startWait = 20 * time.Second // for Delve to call
	endWait   = 5 * time.Second  // for Delve to end the program and itself
)

// delve is a running `dlv dap` that serves one connection, and ends with it.
type delve struct {
	conn  net.Conn
	cmd   *exec.Cmd
	ended chan struct{}
	pid   int // of the program, 0 before it has started
}

// startDelve starts Delve. It calls back on a socket in a folder that only
// this user can read, so nobody else can take its place.
func startDelve(ctx context.Context, path string) (*delve, error) {
	dir, err := os.MkdirTemp("", "hocket-dap-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	sock := filepath.Join(dir, "s")
	l, err := net.Listen("unix", sock)
	if err != nil {
		return nil, fmt.Errorf("listen for Delve: %w", err)
	}
	defer l.Close()
	d := &delve{cmd: exec.Command(path, "dap", "--client-addr=unix:"+sock, "--check-go-version=false"), ended: make(chan struct{})}
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := d.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	go func() {
		_ = d.cmd.Wait()
		l.Close() // nobody will call any more
		close(d.ended)
	}()
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	_ = l.(*net.UnixListener).SetDeadline(time.Now().Add(startWait))
	if d.conn, err = l.Accept(); err != nil {
		d.kill()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, errors.New("the debugger ended before it accepted a connection; check that `dlv dap` works")
	}
	return d, nil
}

// close ends Delve, which ends the program when its client is gone, and waits
// for that. A Delve that was killed leaves the program to us.
func (d *delve) close() {
	d.conn.Close()
	select {
	case <-d.ended:
	case <-time.After(endWait):
		d.kill()
	}
	if d.pid > 0 && !d.cmd.ProcessState.Exited() {
		_ = syscall.Kill(d.pid, syscall.SIGKILL)
	}
}

func (d *delve) kill() {
	_ = syscall.Kill(-d.cmd.Process.Pid, syscall.SIGKILL)
	<-d.ended
}
