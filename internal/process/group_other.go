//go:build !unix

package process

import (
	"os"
	"os/exec"
)

func setGroup(*exec.Cmd)   {}
func ownSession(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) error      { return cmd.Process.Kill() }
func interruptGroup(cmd *exec.Cmd) error { return cmd.Process.Signal(os.Interrupt) }
func dump(cmd *exec.Cmd) error           { return cmd.Process.Kill() }

func leaveNoCores() {}
