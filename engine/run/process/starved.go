package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// The time that a run may take is real time, so that one that waits for something
// outside ends. On a busy machine a run may get so little of a processor that it would
// have ended long before: it gets the same time again.

// errTimeLimit ends a run that took longer than it may.
var errTimeLimit = errors.New("the run did not end within its time limit")

const (
	mostLimits   = 2                    // times the limit, however busy the machine is
	hungryShare  = 3                    // of a limit: who had less of a processor than this part of it, and wants more, is starved
	looksHungry  = 4                    // times, one after the other
	betweenLooks = 5 * time.Millisecond // those
	clockTicks   = 100                  // of /proc, a second
)

// limitTime ends a run, by end, when it has taken longer than it may, unless ctx ends
// before that.
func limitTime(ctx context.Context, pid int, limit time.Duration, end func(error)) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	had := time.Duration(0)
	for n := 1; ; n++ {
		select {
		case <-timer.C:
		case <-ctx.Done():
			return
		}
		has := processorTime(pid)
		if n >= mostLimits || has-had >= limit/hungryShare || !hungry(pid) {
			if ctx.Err() == nil {
				end(errTimeLimit)
			}
			return
		}
		had = has
		timer.Reset(limit)
	}
}

// hungry is true of a process that could run all the time, or is stopped.
func hungry(pid int) bool {
	for range looksHungry {
		if !runnable(pid) {
			return false
		}
		time.Sleep(betweenLooks)
	}
	return true
}

// runnable reports whether one of a process' threads could run, or is stopped. It is
// false where there is no /proc.
func runnable(pid int) bool {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, name := range tasks {
		if f := statFields(name); len(f) > 0 && (f[0][0] == 'R' || f[0][0] == 'T' || f[0][0] == 't') {
			return true
		}
	}
	return false
}

// processorTime is what a process has used of processors, 0 if that is not known.
func processorTime(pid int) time.Duration {
	f := statFields(fmt.Sprintf("/proc/%d/stat", pid))
	if len(f) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(string(f[11]), 10, 64)
	system, _ := strconv.ParseInt(string(f[12]), 10, 64)
	return time.Duration(user+system) * time.Second / clockTicks
}

// statFields are those of a stat file of /proc after the name, which is in parentheses and
// may hold anything: the state is the first.
func statFields(name string) [][]byte {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	return bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
}
