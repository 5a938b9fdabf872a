//go:build !unix

package native

import "os/exec"

func group(*exec.Cmd)    {}
func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
func quit(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
