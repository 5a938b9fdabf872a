package play

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/record"
	"github.com/hocket-dev/hocket/engine/rt"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == instrument.RecordCommand {
		os.Exit(instrument.RecordTool(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// programOf builds a recording program of a folder.
func programOf(t *testing.T, dir string, flags ...string) *Program {
	t.Helper()
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	bin, err := instrument.NewBuilder(t.TempDir()).Record(t.Context(), instrument.Target{Dir: dir, ImportPath: filepath.Base(dir), Entry: "main", Flags: flags})
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(bin)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// recorded runs the program and returns its log and what it printed.
func (p *Program) recorded(t *testing.T) (*record.Run, string) {
	t.Helper()
	dir := t.TempDir()
	e, err := p.run(t.Context(), rt.EnvRecord+"="+dir)
	if err != nil {
		t.Fatal(err)
	}
	logs, _ := filepath.Glob(filepath.Join(dir, "*.hklog"))
	if len(logs) != 1 {
		t.Fatalf("%d logs: %s", len(logs), e.output)
	}
	r, err := record.ReadLog(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	r.Outcome, r.Failure = e.outcome, e.failure
	return r, e.output
}

// Each primitive is followed: the runs that follow print what the recorded one did,
// which depends on the order in which its goroutines came.
func TestFollowsEachPrimitive(t *testing.T) {
	p := programOf(t, "testdata/prims")
	names, err := exec.Command(p.Binary.Path).Output()
	if err != nil {
		t.Fatal(err)
	}
	orders := map[string]bool{}
	for _, name := range strings.Fields(string(names)) {
		t.Run(name, func(t *testing.T) {
			for range 3 {
				p.Binary.Target.Args = []string{name}
				r, want := p.recorded(t)
				orders[want] = true
				if r.Torn != "" || !r.Ended || r.Outcome != record.Passed {
					t.Fatalf("torn %q, ended %v, %s: %s", r.Torn, r.Ended, r.Outcome, want)
				}
				for _, env := range [][]string{nil, {"GOMAXPROCS=1"}} {
					p.Env = env
					a, err := p.Follow(t.Context(), r)
					p.Env = nil
					if err != nil {
						t.Fatal(err)
					}
					if a.Output != want || !a.Complete {
						t.Fatalf("%v: %d of %d operations, printed %q, want %q; lost %+v at %s", env, a.Done, a.Of, a.Output, want, a.Lost, a.Place)
					}
				}
			}
		})
	}
	if len(orders) < len(strings.Fields(string(names)))+5 {
		t.Errorf("only %d different outputs: the programs show nothing", len(orders))
	}
}

// A program that records nothing does what it does without the recorder.
func TestRunsFree(t *testing.T) {
	p := programOf(t, "testdata/prims")
	for _, name := range []string{"mutex", "pool", "map", "http", "once", "timers"} {
		p.Binary.Target.Args = []string{name}
		e, err := p.run(t.Context())
		if err != nil || e.outcome != record.Passed || e.output == "" {
			t.Errorf("%s: %v %+v", name, err, e)
		}
	}
}

// The log is good up to the moment at which the process is killed, and is followed up
// to there.
func TestKilled(t *testing.T) {
	p := programOf(t, "testdata/prims")
	for i := range 15 {
		dir := t.TempDir()
		name := []string{"channels", "cond", "functions", "http"}[i%4]
		cmd := exec.Command(p.Binary.Path, name)
		cmd.Env = append(os.Environ(), rt.EnvRecord+"="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(i*i*60) * time.Microsecond)
		cmd.Process.Kill()
		cmd.Wait()
		logs, _ := filepath.Glob(filepath.Join(dir, "*.hklog"))
		if len(logs) == 0 {
			continue // it had not come so far
		}
		r, err := record.ReadLog(logs[0])
		if errors.Is(err, record.ErrNotALog) || errors.Is(err, record.ErrEmpty) {
			continue // nor the log
		}
		if err != nil {
			t.Fatalf("%s after %d: %v", name, i, err)
		}
		for _, th := range r.Threads {
			for _, rec := range th.Records {
				if rec.At >= th.Ops || rec.From >= 0 && rec.FromOp >= r.Threads[rec.From].Ops {
					t.Fatalf("%s: %s did %d operations, and has %+v", name, th.Name, th.Ops, rec)
				}
			}
		}
		p.Binary.Target.Args = []string{name}
		a, err := p.Follow(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if a.Lost != nil || a.Done != a.Of {
			t.Errorf("%s, killed early: %d of %d operations followed, lost %+v at %s", name, a.Done, a.Of, a.Lost, a.Place)
		}
	}
}

// A run of another program is refused, and so is one that goes another way.
func TestAnotherProgram(t *testing.T) {
	p := programOf(t, "testdata/prims")
	p.Binary.Target.Args = []string{"mutex"}
	r, _ := p.recorded(t)
	p.Binary.Target.Args = []string{"channels"}
	a, err := p.Follow(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if a.Lost == nil || a.Same(r) {
		t.Errorf("other arguments: %+v", a.Followed)
	}
	r.Program = "1234"
	if _, err := p.Follow(t.Context(), r); !errors.Is(err, record.ErrOtherProgram) {
		t.Errorf("another program: %v", err)
	}
}

// Places name the program's own statements.
func TestSteps(t *testing.T) {
	p := programOf(t, "testdata/prims")
	p.Binary.Target.Args = []string{"mutex"}
	r, _ := p.recorded(t)
	steps, _, err := p.Steps(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[int]int{}
	for i, th := range r.Threads {
		if uint64(len(steps[i])) != th.Ops {
			t.Fatalf("%s: %d steps of %d operations", th.Name, len(steps[i]), th.Ops)
		}
		for _, s := range steps[i] {
			if s.Kind == rt.KindLock && filepath.Base(s.File) == "sync.go" {
				lines[s.Line]++
			}
		}
	}
	if !slices.ContainsFunc([]int{800}, func(n int) bool { return lines[14] == n }) {
		t.Errorf("mu.Lock() at line 14 was done %d times, not 800: %v", lines[14], lines)
	}
	p.Name(r)
	if !slices.ContainsFunc(r.Threads, func(th record.Thread) bool { return th.Func == "main.crowd.func1" }) {
		t.Error("no goroutine is named after its function")
	}
}
