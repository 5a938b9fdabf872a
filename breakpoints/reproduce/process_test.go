//go:build unix

package reproduce

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestCancelled: what a program started ends with it.
func TestCancelled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		cmd := exec.Command("/bin/sh", "-c", `trap '' INT TERM QUIT; sleep 100 & echo $! > "$0.tmp"; mv "$0.tmp" "$0"; wait`, file)
		done <- attend(ctx, cmd, func(time.Time) bool { return false })
	}()
	var pid int
	for end := time.Now().Add(20 * time.Second); pid == 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the program did not start")
		}
		if data, err := os.ReadFile(file); err == nil {
			pid, _ = strconv.Atoi(strings.TrimSpace(string(data)))
		}
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("ended by %v", err)
	}
	for end := time.Now().Add(20 * time.Second); !gone(pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("process %d outlived the program that started it", pid)
		}
	}
}

// gone reports whether a process has ended; one that nobody waited for has.
func gone(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, after, _ := strings.Cut(string(stat), ") ")
	return err == nil && strings.HasPrefix(after, "Z")
}

// TestEnough: a program that has had its time is asked for its goroutines.
func TestEnough(t *testing.T) {
	cmd := exec.Command("/bin/sh", "-c", `trap 'echo asked; exit 3' QUIT; echo ready; while :; do sleep 0.01; done`)
	out := &tail{}
	cmd.Stdout = out
	err := attend(context.Background(), cmd, func(time.Time) bool { return strings.Contains(out.String(), "ready") })
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 3 || !strings.Contains(out.String(), "asked") {
		t.Errorf("%v, %q", err, out.String())
	}
}

// TestUntried: without the go command, or without the sources, nothing is
// tried, and that is no failure.
func TestUntried(t *testing.T) {
	for _, tc := range []struct{ name, path string }{{"no go command", t.TempDir()}, {"no module", os.Getenv("PATH")}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Setenv("PATH", tc.path)
			t.Setenv("GOWORK", "off")
			t.Chdir(t.TempDir())
			skipped := false
			t.Run("reproduction", func(t *testing.T) {
				defer func() { skipped = t.Skipped() }()
				Run(t, Finding{ID: tc.name, Entry: "TestX", Plan: "timeout 1s\n", Statements: []Statement{{}}})
			})
			if !skipped {
				t.Error("it was not skipped")
			}
		})
	}
}
