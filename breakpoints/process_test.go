package breakpoints_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/breakpoints"
)

// overlay puts the injected copy below GOROOT/src, as builds of Hocket do.
func overlay(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	for _, f := range files {
		if f == "source.go" || strings.HasSuffix(f, "_test.go") {
			continue
		}
		abs, err := filepath.Abs(f)
		if err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(strings.TrimSpace(string(out)), "src", "hocketpoints", f)] = abs
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// buildBoth builds testdata/both and gives its name and what the go command said.
func buildBoth(t *testing.T, flags ...string) (exe, said string) {
	t.Helper()
	exe = filepath.Join(t.TempDir(), "both")
	if runtime.GOOS == "windows" {
		exe += ".exe"
	}
	args := append([]string{"build", "-overlay", overlay(t), "-o", exe}, flags...)
	out, err := exec.Command("go", append(args, "./testdata/both")...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return exe, string(out)
}

const twoDefs = "break 1 \"b1\" 2 timeouts 10s,10s dids 1,2\nbreak 2 \"b2\" 2 timeouts 1ms,1ms joint \"$1.0 == $2.0 && $1.1 != $2.1 && $1.2 <= $2.2\"\n"

// run runs a mode with breakpoints and gives its output and report.
func run(t *testing.T, exe, mode, defs string) (string, *exec.Cmd, breakpoints.Report) {
	t.Helper()
	report := filepath.Join(t.TempDir(), "report")
	cmd := exec.Command(exe, mode)
	cmd.Env = append(os.Environ(), breakpoints.EnvBreaks+"="+defs, breakpoints.EnvReport+"="+report)
	out, err := cmd.CombinedOutput()
	if _, ended := err.(*exec.ExitError); err != nil && !ended {
		t.Fatal(err)
	}
	r, err := breakpoints.ReadReport(report)
	if err != nil {
		t.Fatal(err)
	}
	return string(out), cmd, r
}

func TestBothCopies(t *testing.T) {
	exe, said := buildBoth(t, "-gcflags=-m")
	out, cmd, r := run(t, exe, "both", twoDefs)
	if cmd.ProcessState.ExitCode() != 0 || out != "true\ntrue\n" || r.Breaks[1] == nil || r.Breaks[1].Hit != 1 {
		t.Errorf("%v\n%s\n%+v", cmd.ProcessState, out, r.Breaks[1])
	}
	for _, call := range []string{"breakpoints.Ready", "breakpoints.Side", "breakpoints.Did", "breakpoints.(*Breakpoint).Here", "breakpoints.(*Breakpoint).Did"} {
		if !strings.Contains(said, "inlining call to "+call) {
			t.Errorf("%s is not inlined: it costs a call where breakpoints are off", call)
		}
	}
	symbols, err := exec.Command("go", "tool", "nm", exe).Output()
	if err != nil || !bytes.Contains(symbols, []byte(" hocketpoints.hit\n")) {
		t.Errorf("debuggers don't find hocketpoints.hit: %v", err)
	}
	for mode, want := range map[string]string{"exit": "", "panic": "panic: the end"} {
		out, cmd, r := run(t, exe, mode, twoDefs)
		if r.Breaks[1] == nil || r.Breaks[1].Hit != 1 || r.Breaks[1].Reached[1] != 1 || !strings.Contains(out, want) || cmd.ProcessState.ExitCode() < 2 {
			t.Errorf("%s: %v\n%s\n%+v", mode, cmd.ProcessState, out, r.Breaks[1])
		}
	}
	begin := time.Now()
	out, _, _ = run(t, exe, "deadlock", strings.Replace(twoDefs, "10s,10s", "50ms,50ms", 1))
	if !strings.Contains(out, "all goroutines are asleep") || time.Since(begin) > 20*time.Second {
		t.Errorf("the deadlock is not found: %v, %s", time.Since(begin), out)
	}
	killedInAPause(t, exe)
}

// Statistics of a process that is killed are there.
func killedInAPause(t *testing.T, exe string) {
	report := filepath.Join(t.TempDir(), "report")
	cmd := exec.Command(exe, "kill")
	cmd.Env = append(os.Environ(), breakpoints.EnvBreaks+"="+twoDefs, breakpoints.EnvReport+"="+report)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "met\n" {
		t.Fatalf("%q, %v", line, err)
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		r, err := breakpoints.ReadReport(report)
		if err != nil {
			t.Fatal(err)
		}
		if s := r.Breaks[1]; s != nil && s.Hit == 1 && s.Postponed[0]+s.Postponed[1] >= 2 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%+v", r.Breaks[1])
		}
	}
}

// buildRace is buildBoth with the race detector.
func buildRace(t *testing.T) (exe, said string) {
	t.Helper()
	out, err := exec.Command("go", "env", "CC").Output()
	if err != nil {
		t.Fatal(err)
	}
	cc, _, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if _, err := exec.LookPath(cc); err != nil {
		t.Skip("no C compiler")
	}
	return buildBoth(t, "-race")
}

// The detector does not crash, whatever goes on in a pause. (Timers under
// runtime.RaceDisable are what it does not survive: 14 of 15 such runs.)
func TestRaceDetectorSurvives(t *testing.T) {
	exe, _ := buildRace(t)
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	defs := strings.Replace(twoDefs, "timeouts 1ms,1ms", "timeouts 100ms,100ms", 1)
	for range 8 {
		out, cmd, r := run(t, exe, "crowd", defs)
		if cmd.ProcessState.ExitCode() != 66 || !strings.Contains(out, "\nend\n") || !strings.Contains(out, "DATA RACE") || r.Breaks[2] == nil || r.Breaks[2].Hit == 0 {
			t.Fatalf("%v\n%s\n%+v", cmd.ProcessState, out[:min(len(out), 4000)], r.Breaks[2])
		}
	}
}

// Under the race detector, breakpoints neither hide races nor have any.
func TestRaceDetector(t *testing.T) {
	exe, _ := buildRace(t)
	for range 5 {
		out, _, r := run(t, exe, "race", twoDefs)
		if strings.Count(out, "DATA RACE") != 1 || !strings.Contains(out, "main.race.func1") || r.Breaks[1].Hit != 1 {
			t.Fatalf("the race is hidden:\n%s\n%+v", out, r.Breaks[1])
		}
	}
	out, cmd, r := run(t, exe, "clean", twoDefs)
	if strings.TrimSpace(out) != "true" || cmd.ProcessState.ExitCode() != 0 || r.Breaks[2].Hit == 0 {
		t.Errorf("%v\n%s\n%+v", cmd.ProcessState, out[:min(len(out), 4000)], r.Breaks[2])
	}
}

var unset = breakpoints.New("unset")

// A breakpoint that is off costs a load and a branch.
func BenchmarkOff(b *testing.B) {
	var p struct{ n int }
	b.Run("Here", func(b *testing.B) {
		for b.Loop() {
			unset.Here(1, &p)
		}
	})
	b.Run("Side", func(b *testing.B) {
		for b.Loop() {
			if breakpoints.Ready(1000, 1) {
				breakpoints.Side(1000, 1, nil)
			}
		}
	})
	b.Run("nothing", func(b *testing.B) {
		for b.Loop() {
		}
	})
}

func TestOffAllocatesNothing(t *testing.T) {
	p := new(int)
	if n := testing.AllocsPerRun(1000, func() { unset.Here(1, p); unset.HereIf(2, true, p, p); unset.Did(1) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
