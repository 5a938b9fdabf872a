//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

func attr(cmd *exec.Cmd) *syscall.SysProcAttr {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	return cmd.SysProcAttr
}

func setGroup(cmd *exec.Cmd)   { attr(cmd).Setpgid = true }
func ownSession(cmd *exec.Cmd) { attr(cmd).Setsid = true }

func leaveNoCores() {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_CORE, &l) == nil {
		l.Cur = 0
		syscall.Setrlimit(syscall.RLIMIT_CORE, &l)
	}
}

func killGroup(cmd *exec.Cmd) error      { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
func interruptGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
func dump(cmd *exec.Cmd) error           { return syscall.Kill(cmd.Process.Pid, syscall.SIGQUIT) }
