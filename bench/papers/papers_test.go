package papers

import (
	"context"
	"go/format"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/hocket-dev/hocket/bench/harness"
	"github.com/hocket-dev/hocket/engine"
)

// TestPrograms: each program has its figures, both sides, and formatted files.
func TestPrograms(t *testing.T) {
	dir := t.TempDir()
	all, err := Programs(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := files.ReadDir("programs")
	if err != nil || len(entries) != len(names) || len(all) != len(names)+4 { // two have three sizes
		t.Errorf("%d programs of %d files, %v", len(all), len(entries), err)
	}
	attempts := 0
	for _, p := range all {
		if a := p.Attempts; a != nil && a.Cortex > 0 && a.MCR > 0 && a.ICBDPOR > 0 {
			attempts++
		}
	}
	if attempts != 7 {
		t.Errorf("%d programs of Cortex's Table 3", attempts)
	}
	for _, name := range names {
		data, err := files.ReadFile("programs/" + name + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range txtar.Parse(data).Files {
			text, err := format.Source(f.Data)
			if err != nil || string(text) != string(f.Data) {
				t.Errorf("%s: %s is not formatted (%v)", name, f.Name, err)
			}
		}
	}
	if _, err := os.Stat(all[0].Fixed); err != nil {
		t.Error(err)
	}
}

// TestBugs: a program fails under some schedule, by its assertion; its twin
// passes, also in the ordinary build. bench/strategies shows it of all of them.
func TestBugs(t *testing.T) {
	all, err := Programs(t.TempDir(), "pool")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		bug := seek(t, p, p.Dir, 300)
		if bug.Kind != "panic" && bug.Kind != "test-failure" {
			t.Errorf("%s: %+v", p.Name, bug)
		}
		if twin := seek(t, p, p.Fixed, 30); twin.Kind != "" || twin.RaceAfter != 0 || twin.Status != "searched" && twin.Status != "clean" {
			t.Errorf("%s: fixed: %+v", p.Name, twin)
		}
		cmd := exec.Command("go", "test", "-count=20", ".")
		cmd.Dir = p.Fixed
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: fixed: %v\n%s", p.Name, err, out)
		}
	}
}

func seek(t *testing.T, p Program, dir string, schedules int) *harness.Sought {
	t.Helper()
	prog, err := harness.OpenProgram(context.Background(), engine.FindOptions{Dir: dir, Run: "^" + p.Entry + "$"})
	if err != nil {
		t.Fatal(err)
	}
	defer prog.Close()
	s, err := prog.Seek(context.Background(), harness.SeekOptions{Strategy: "pos", Seed: 1, Schedules: schedules, Budget: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(s.Reason, "outside") {
		t.Errorf("%s: %s", p.Name, s.Reason)
	}
	return s
}
