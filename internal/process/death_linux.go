package process

import (
	"os/exec"
	"syscall"
)

// dieWithThread has the kernel kill the process when the thread that starts it
// ends.
func dieWithThread(cmd *exec.Cmd) { attr(cmd).Pdeathsig = syscall.SIGKILL }
