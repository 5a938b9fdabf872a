package jobs

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// ownGroup makes the child the leader of a session. The programs that it runs are
// in process groups of their own, and are adopted by others when it dies, but
// they stay in the session.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// sweep kills what is left of the session. A process that forks while it is
// killed can leave one behind, so that it looks again until there is none.
func sweep(pid int) {
	for range 50 {
		members := session(pid)
		for _, m := range members {
			_ = syscall.Kill(m, syscall.SIGKILL)
		}
		if len(members) == 0 {
			return
		}
		time.Sleep(2 * time.Millisecond) // killed is not gone
	}
}

// session lists the processes of a session that run.
func session(id int) []int {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	var pids []int
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // gone
		}
		// pid (comm) state ppid pgrp session ...; comm may hold anything.
		fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
		if len(fields) < 4 || fields[0][0] == 'Z' || fields[0][0] == 'X' {
			continue
		}
		sid, err := strconv.Atoi(string(fields[3]))
		if err != nil || sid != id {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
