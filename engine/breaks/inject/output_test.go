//go:build unix

package inject

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/instrument"
)

// TestLeftBehind: a run is over when the program is, not when a daemon is that
// it has left with its output; and the daemon goes too.
func TestLeftBehind(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells who holds a pipe")
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "run.sh")
	// The daemon leads a session of its own, so that its group is another.
	text := "#!/bin/sh\necho before\nsetsid sleep 317 &\necho $! > " + filepath.Join(dir, "pid") + "\nsleep 0.1\necho after\nexit 3\n"
	if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	p := &Program{Plain: script, Target: instrument.Target{Dir: dir}}
	r, err := p.Run(t.Context(), nil, Limits{Hard: time.Minute}, true, "")
	if err != nil {
		t.Fatal(err)
	}
	if r.Exit != 3 || r.Output != "before\nafter\n" || strings.Join(r.Left, " ") != "sleep" || r.StillHeld {
		t.Errorf("%+v", r)
	}
	if r.Took > 2*time.Second {
		t.Errorf("took %v", r.Took)
	}
	data, err := os.ReadFile(filepath.Join(dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	t.Error("the daemon still runs")
}
