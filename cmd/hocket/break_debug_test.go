package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine"
)

// clearing is a module with a concurrent breakpoint at which its program fails.
func clearing(t *testing.T) (dir string) {
	t.Helper()
	if _, err := engine.Delve(); err != nil {
		t.Fatal(err) // make test installs it
	}
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../lsp/dap/testdata/pages")); err != nil {
		t.Fatal(err)
	}
	if out, err := self(dir, "break", "add", "main.go:16", "main.go:22", "-if", "t1.p == t2.p", "-order", "2,1").CombinedOutput(); err != nil {
		t.Fatalf("break add: %v\n%s", err, out)
	}
	return dir
}

// TestBreakDebug is one program with a breakpoint under Delve by all ways.
func TestBreakDebug(t *testing.T) {
	dir := clearing(t)
	t.Run("terminal", func(t *testing.T) { meetingInTerminal(t, dir) })
	t.Run("killed", func(t *testing.T) { adapterKilled(t, self(dir, "break", "run", "-debug=dap", ".")) })
	t.Run("no such way", func(t *testing.T) {
		fails(t, self(dir, "break", "run", "-debug=gdb", "."), "invalid -debug=gdb: use -debug")
	})
	t.Run("no such breakpoint", func(t *testing.T) {
		fails(t, self(dir, "break", "run", "-debug", "-id", "b7", "."), "there is no breakpoint b7")
	})
	t.Run("runs", func(t *testing.T) {
		fails(t, self(dir, "break", "run", "-debug", "-n", "5", "."), "-n and -debug can't be combined")
	})
	t.Run("no meeting", func(t *testing.T) {
		if out, err := self(dir, "break", "edit", "b1", "-if", "1 == 2").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		out := session(t, self(dir, "break", "run", "-debug", "."), "exit")
		inOrder(t, out, "the program ended (exit status ", "before the sides of any breakpoint (b1) met", "b1 never hit")
		if strings.Contains(out, "init:") {
			t.Errorf("names a file of its own:\n%s", out)
		}
	})
}

// session types commands into Delve's terminal.
func session(t *testing.T, cmd *exec.Cmd, commands ...string) string {
	t.Helper()
	cmd.Stdin = strings.NewReader(strings.Join(commands, "\n") + "\n")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(string(out), "")
}

// inOrder checks that texts come one after the other.
func inOrder(t *testing.T, out string, texts ...string) {
	t.Helper()
	rest := out
	for _, text := range texts {
		_, after, ok := strings.Cut(rest, text)
		if !ok {
			t.Fatalf("no %q (in this order) in\n%s", text, out)
		}
		rest = after
	}
}

// meetingInTerminal goes to the meeting, looks at both sides, and on to the
// failure.
func meetingInTerminal(t *testing.T, dir string) {
	out := session(t, self(dir, "break", "run", "-debug", "."), "locals", "side 1", "args", "side 3", "continue", "sides", "exit")
	inOrder(t, out,
		"b1: side 1 at main.go:16, side 2 at main.go:22 (goes first)",
		"concurrent breakpoint b1 hit",
		"  side 2  main.go:22  main.clearer (goroutine ", "  side 1  main.go:16  main.reader (goroutine ",
		"=>  22:", "p.text = nil", // the first in the order, to begin with
		"old = ",               // its locals
		"=>  16:", "times = 7", // those of side 1
		"name a side: 1, 2",
		"[unrecovered-panic]",
		"the program is not stopped at a concurrent breakpoint",
		"b1 was hit once")
	out = session(t, self(dir, "break", "run", "-debug", "."), "release 1", "print p.text", "next", "exit")
	inOrder(t, out, "concurrent breakpoint b1 hit", "> [release] main.reader()", "=>  16:", "*string nil", "[unrecovered-panic]")
	out = session(t, self(dir, "break", "run", "-debug", "."), "release 2", "next", "print p.text", "exit")
	inOrder(t, out, "concurrent breakpoint b1 hit", "> [release] main.clearer()", "=>  22:", "=>  24:", "*string nil")
}
