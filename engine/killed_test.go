//go:build linux

package engine

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/internal/testmodule"
)

// The program that is searched: it says that it runs, starts another process
// and never ends.
const endless = `package m

import (
	"os"
	"os/exec"
	"testing"
)

func TestEndless(t *testing.T) {
	if err := exec.Command("sleep", "1000").Start(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(os.Getenv("HOCKET_TEST_RUNS"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for {
	}
}
`

// calls are what is killed: each starts the program in a folder, and does not
// end before it.
var calls = map[string]func(t *testing.T, dir string) error{
	"find": func(_ *testing.T, dir string) error {
		_, err := Find(context.Background(), FindOptions{Dir: dir, Budget: 5 * time.Minute}, nil)
		return err
	},
	"debug": func(t *testing.T, dir string) error {
		st, err := store.Open(dir)
		if err != nil {
			return err
		}
		r := &store.Record{Module: "m", Package: "m", Entry: "TestEndless", TestRun: "^TestEndless$", Signature: "panic: x",
			Finding: &Finding{ID: "0badcafe", Package: "m", Entry: "TestEndless", Kind: "panic", Message: "x"}}
		if err := st.Put(r, nil, nil); err != nil {
			return err
		}
		_, err = PrepareDebug(context.Background(), DebugOptions{Dir: dir, ID: r.Finding.ID}, nil)
		return err
	},
}

// TestKilledCallsLeaveNothing kills a process in the middle of a call by a signal
// that it can't see: no go command, no compiler, no program of the user's and
// nothing that this started goes on.
func TestKilledCallsLeaveNothing(t *testing.T) {
	if dir := os.Getenv("HOCKET_TEST_DIR"); dir != "" {
		err := calls[os.Getenv("HOCKET_TEST_CALL")](t, dir)
		t.Fatalf("the call ended: %v", err)
	}
	if testing.Short() {
		t.Skip("builds a program")
	}
	for _, c := range []struct {
		name string
		when func(runs string, marked []markedProcess) bool
	}{
		{"while the toolchain works", func(_ string, marked []markedProcess) bool {
			for _, p := range marked {
				if p.name == "compile" || p.name == "link" {
					return true
				}
			}
			return false
		}},
		{"while a run goes on", func(runs string, _ []markedProcess) bool {
			_, err := os.Stat(runs)
			return err == nil
		}},
	} {
		for call := range calls {
			t.Run(call+" "+c.name, func(t *testing.T) { kill(t, call, c.when) })
		}
	}
}

func kill(t *testing.T, call string, when func(runs string, marked []markedProcess) bool) {
	dir := t.TempDir()
	testmodule.Write(t, filepath.Join(dir, "go.mod"), "module m\n\ngo 1.26\n")
	testmodule.Write(t, filepath.Join(dir, "m_test.go"), endless)
	runs := filepath.Join(t.TempDir(), "runs")
	mark := "HOCKET_TEST_RUNS=" + runs
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledCallsLeaveNothing$")
	cmd.Env = append(os.Environ(), "HOCKET_TEST_CALL="+call, "HOCKET_TEST_DIR="+dir, mark)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { endAll(marked(mark)) }) // of a test that failed
	for !when(runs, marked(mark)) {
		select {
		case err := <-ended:
			t.Fatalf("ended too early: %v\n%s", err, &out)
		case <-time.After(5 * time.Millisecond):
		}
	}
	before := marked(mark)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	<-ended
	if len(before) < 2 {
		t.Fatalf("only %v ran: the test shows nothing", before)
	}
	for left := marked(mark); len(left) > 0; left = marked(mark) {
		if time.Since(killed) > 3*time.Second {
			t.Fatalf("3 s after the kill there are %v, of %v", left, before)
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Logf("%v: gone after %v", before, time.Since(killed).Round(time.Millisecond))
}

func endAll(processes []markedProcess) {
	for _, p := range processes {
		if pid, err := strconv.Atoi(p.pid); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// markedProcess is one that has the mark in its environment.
type markedProcess struct{ pid, name string }

func marked(mark string) []markedProcess {
	var out []markedProcess
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range all {
		env, err := os.ReadFile(filepath.Join(dir, "environ")) // empty for zombies
		if err != nil || !bytes.Contains(env, []byte(mark+"\x00")) {
			continue
		}
		exe, _ := os.Readlink(filepath.Join(dir, "exe"))
		out = append(out, markedProcess{filepath.Base(dir), strings.TrimSuffix(filepath.Base(exe), " (deleted)")})
	}
	return out
}
