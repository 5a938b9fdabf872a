//go:build unix

package native

import (
	"os/exec"
	"syscall"
)

// group gives the process a process group of its own, killed as a whole.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if cmd.Cancel != nil {
		cmd.Cancel = func() error { kill(cmd); return nil }
	}
}

// kill and quit ignore errors: the process may have ended meanwhile.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
func quit(cmd *exec.Cmd) { _ = syscall.Kill(cmd.Process.Pid, syscall.SIGQUIT) }
