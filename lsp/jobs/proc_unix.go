//go:build unix && !linux

package jobs

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the child into a process group of its own.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// sweep kills what is left of the group. Programs that the child runs in groups
// of their own are its to end.
func sweep(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
