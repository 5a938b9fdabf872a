//go:build unix

package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("HOCKET_TEST_PARENT"); dir != "" {
		parent(dir)
		return
	}
	goleak.VerifyTestMain(m)
}

// family is a program that starts another, both sleeping, and writes their
// process ids into a file, which is complete once it is there.
const family = `trap '' INT TERM; sleep 100 & echo $$ $! > "$0.tmp"; mv "$0.tmp" "$0"; wait; sleep 100`

// parent runs a family under a guard until it is killed.
func parent(dir string) {
	ctx, done := Guard(context.Background())
	defer done()
	_ = Run(ctx, Command(ctx, "/bin/sh", "-c", family, filepath.Join(dir, "pids")))
}

// pids waits for the family.
func pids(t *testing.T, file string) []int {
	t.Helper()
	var data []byte
	until(t, "the processes to start", func() (ok bool) {
		var err error
		data, err = os.ReadFile(file)
		return err == nil
	})
	var out []int
	for _, f := range strings.Fields(string(data)) {
		pid, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, pid)
	}
	if len(out) != 2 {
		t.Fatalf("processes %v", out)
	}
	return out
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// gone reports whether a process has ended; one that nobody has waited for yet
// has. Whoever adopts orphans may do so late.
func gone(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	if runtime.GOOS == "linux" { // small systems have no ps
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		after := strings.TrimSpace(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		return err != nil || strings.HasPrefix(after, "Z")
	}
	state, err := exec.Command("ps", "-o", "state=", "-p", fmt.Sprint(pid)).Output()
	return err != nil || strings.HasPrefix(strings.TrimSpace(string(state)), "Z")
}

func allGone(t *testing.T, pids []int) {
	t.Helper()
	until(t, fmt.Sprintf("the end of %v", pids), func() bool {
		for _, pid := range pids {
			if !gone(pid) {
				return false
			}
		}
		return true
	})
}

func TestKilledParentLeavesNobody(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "HOCKET_TEST_PARENT="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	family := pids(t, filepath.Join(dir, "pids"))
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	allGone(t, family)
}

func TestCancelEndsTheGroup(t *testing.T) {
	for name, command := range map[string]func(context.Context, string, ...string) *exec.Cmd{"program": Command, "go": Go} {
		for _, guarded := range []bool{false, true} {
			t.Run(fmt.Sprint(name, guarded), func(t *testing.T) {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				done := func() {}
				if guarded {
					ctx, done = Guard(ctx)
				}
				defer done()
				file := filepath.Join(t.TempDir(), "pids")
				result := make(chan error, 1)
				go func() { result <- Run(ctx, command(ctx, "/bin/sh", "-c", family, file)) }()
				family := pids(t, file)
				cancel()
				if err := <-result; err == nil {
					t.Error("no error")
				}
				allGone(t, family)
			})
		}
	}
}

func TestWhatEndsTakesItsChildrenAlong(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pids")
	ctx, done := Guard(context.Background())
	defer done()
	start := time.Now()
	// The grandchild must not hold the output open: the leader ends at once.
	out, err := Output(ctx, Command(ctx, "/bin/sh", "-c", `sleep 100 >&- & echo $$ $! > "$0.tmp"; mv "$0.tmp" "$0"; echo hello`, file))
	if err != nil || string(out) != "hello\n" {
		t.Errorf("%q, %v", out, err)
	}
	allGone(t, pids(t, file))
	if d := time.Since(start); d > 50*time.Second {
		t.Errorf("took %v", d)
	}
}

// TestDone: what still runs when its call has ended is killed, and nothing
// starts any more.
func TestDone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pids")
	ctx, done := Guard(context.Background())
	p, err := Start(ctx, Command(ctx, "/bin/sh", "-c", family, file))
	if err != nil {
		t.Fatal(err)
	}
	family := pids(t, file)
	done()
	if err := p.Wait(); err == nil {
		t.Error("the process ended by itself")
	}
	allGone(t, family)
	if _, err := Start(ctx, Command(ctx, "/bin/sh", "-c", ":")); err == nil {
		t.Error("a process started after the end")
	}
}

// TestThreadsMayEnd is about golang.org/issue/27505: a goroutine that ends
// while locked takes its thread along.
func TestThreadsMayEnd(t *testing.T) {
	ctx, done := Guard(context.Background())
	defer done()
	started := make(chan *Process)
	go func() {
		runtime.LockOSThread()
		p, err := Start(ctx, Command(ctx, "/bin/sh", "-c", "read x; exit 7"))
		if err != nil {
			t.Error(err)
		}
		started <- p
	}()
	p := <-started
	// The shell's input is empty, so it ends by itself, unless it was killed.
	var exit *exec.ExitError
	if err := p.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Errorf("ended by %v", err)
	}
}

func TestSentinelKilled(t *testing.T) {
	ctx, done := Guard(context.Background())
	defer done()
	_ = guardOf(ctx).sentinel.Process.Kill()
	for range 3 {
		if out, err := Output(ctx, Command(ctx, "/bin/sh", "-c", "echo x")); err != nil || string(out) != "x\n" {
			t.Fatalf("%q, %v", out, err)
		}
	}
}

func BenchmarkRun(b *testing.B) {
	for _, guarded := range []bool{false, true} {
		b.Run(fmt.Sprint("guarded=", guarded), func(b *testing.B) {
			ctx, done := context.Background(), func() {}
			if guarded {
				ctx, done = Guard(ctx)
			}
			defer done()
			for b.Loop() {
				if err := Run(ctx, Command(ctx, "/bin/true")); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
