package core_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/core"
	"github.com/hocket-dev/hocket/engine/core/coretest"
)

var stopped = regexp.MustCompile(`(?m)^State:\s+t|^TracerPid:\s+[1-9]`)

// TestCancelLetsGo: whenever a cancel comes, a process that was stopped goes on.
func TestCancelLetsGo(t *testing.T) {
	const program = `package main

import "time"

func main() { time.Sleep(time.Hour) }
`
	cmd := exec.Command(coretest.Build(t, program))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	begin := time.Now()
	p, err := core.Attach(t.Context(), cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	whole := time.Since(begin)
	p.Close()
	goesOn(t, cmd.Process.Pid, -1)
	for i := range 12 {
		ctx, cancel := context.WithTimeout(t.Context(), whole*time.Duration(i)/10)
		p, err := core.Attach(ctx, cmd.Process.Pid)
		cancel()
		if err == nil {
			p.Close()
		}
		goesOn(t, cmd.Process.Pid, i)
	}
}

// goesOn waits until the process runs, and nothing that was left behind stops it again.
func goesOn(t *testing.T, pid, attempt int) {
	t.Helper()
	const still, patience = 500 * time.Millisecond, 20 * time.Second
	start := time.Now()
	for since := start; time.Since(since) < still; time.Sleep(2 * time.Millisecond) {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			t.Fatal(err)
		}
		if stopped.Match(status) {
			since = time.Now()
		}
		if time.Since(start) > patience {
			t.Fatalf("attempt %d: the process still stands:\n%s", attempt, status)
		}
	}
}
