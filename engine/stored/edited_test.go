package stored

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/image"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/process"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/testmodule"
	"github.com/hocket-dev/hocket/internal/version"
)

// Nothing but plain accesses lies between the check and the act, so that the
// failure needs switches at those.
const plainAccount = `package acct

type account struct{ n int }

func (a *account) withdraw(k int) bool {
	if a.n < k {
		return false
	}
	a.n -= k
	return true
}
`

const plainTest = `package acct

import (
	"sync"
	"testing"
)

func TestWithdraw(t *testing.T) {
	a := &account{n: 10}
	var wg sync.WaitGroup
	var paid [2]bool
	for i := range paid {
		wg.Go(func() { paid[i] = a.withdraw(10) })
	}
	wg.Wait()
	if paid[0] && paid[1] {
		t.Fatal("overdrawn")
	}
}
`

// fees is a function that the program needs, and that moves code behind it.
const fees = `
var fee = fees(7)

//go:noinline
func fees(n int) (sum int) {
	for i := range n {
		sum += i * n % 7
	}
	return sum
}
`

// plainProgram builds the one target in dir.
func plainProgram(t *testing.T, dir string) (*target.Env, target.Target, *process.Runner) {
	t.Helper()
	env, err := target.LoadEnv(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	targets, _, err := target.Discover(t.Context(), env, target.Query{Patterns: []string{"."}})
	if err != nil || len(targets) != 1 {
		t.Fatal(targets, err)
	}
	driver, err := build.New(env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(driver.Close)
	runner, err := driver.Runner(t.Context(), targets[0], target.Flags{}, build.Control)
	if err != nil {
		t.Fatal(err)
	}
	return env, targets[0], runner
}

// plainFinding finds the failure of the program in dir and stores it.
func plainFinding(t *testing.T, dir string) *store.Record {
	t.Helper()
	env, tg, runner := plainProgram(t, dir)
	st, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var hot []string
	for seed := uint64(1); seed < 200; seed++ {
		r, err := runner.Run(t.Context(), run.Spec{Strategy: run.POS, Seed: seed, Schedule: trace.Schedule{Hot: hot}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Failed() {
			rec := &store.Record{Found: time.Now().Add(-time.Minute), Hocket: version.Version(), GoVersion: env.GoVersion, Module: env.ModulePath,
				Package: tg.Package, Entry: tg.Entry, TestRun: tg.TestRun,
				Sources: store.Sum(env.Roots(), dir, nil), Schedule: r.Schedule, Signature: run.SignatureOf(r).String(),
				Finding: &report.Finding{ID: "0badcafe", Package: tg.Package, Entry: tg.Entry, Message: r.Outcome.Message}}
			if err := st.Put(rec, nil, nil); err != nil {
				t.Fatal(err)
			}
			return rec
		}
		for _, race := range r.Races {
			hot = append(hot, race.FirstSite, race.SecondSite)
		}
		slices.Sort(hot)
		hot = slices.Compact(hot)
	}
	t.Fatal("the failure was not found")
	return nil
}

// hotPCs are the addresses of the schedule's places in the program as it is now.
func hotPCs(t *testing.T, dir string, rec *store.Record) []uint64 {
	t.Helper()
	_, _, runner := plainProgram(t, dir)
	pcs, err := site.NewIndex(image.NewProgram(runner.Binary().Path)).PCs(rec.Schedule.Hot)
	if err != nil {
		t.Fatal(err)
	}
	return pcs
}

// TestReplayAfterEdits: an edit elsewhere moves code, and the schedule means the
// same; what an edit on the way makes of it is told as outdated, never as fixed.
func TestReplayAfterEdits(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	dir := testmodule.Dir(t)
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/m\n\ngo 1.26\n")
	write("acct.go", plainAccount)
	write("acct_test.go", plainTest)
	rec := plainFinding(t, dir)
	if len(rec.Schedule.Hot) == 0 {
		t.Fatal("the failure needs no switch at a plain access")
	}
	was := hotPCs(t, dir, rec)
	const runs = 100
	above := strings.Replace(plainAccount, "\ntype", fees+"\ntype", 1)
	for _, c := range []struct {
		name, file, text string
		moves, fails     bool
	}{
		{"nothing", "", "", false, true},
		{"a function above, in the same file", "acct.go", above, true, true},
		{"a function in another file", "aaa.go", "package acct\n" + fees, true, true},
		{"a comment inside", "acct.go", strings.Replace(plainAccount, "\tif", "\t// enough?\n\tif", 1), false, true},
		{"an operation inside", "acct.go", strings.Replace(plainAccount, "\tif", "\tfor range 2 {\n\t\tmu.Lock()\n\t\tmu.Unlock()\n\t}\n\tif", 1) +
			"\nvar mu sync.Mutex\n", false, false},
		{"fixed", "acct.go", strings.Replace(plainAccount, "\tif", "\tmu.Lock()\n\tdefer mu.Unlock()\n\tif", 1) + "\nvar mu sync.Mutex\n", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.file != "" {
				text := c.text
				if strings.Contains(text, "sync.") {
					text = strings.Replace(text, "package acct\n", "package acct\n\nimport \"sync\"\n", 1)
				}
				write(c.file, text)
				defer write("acct.go", plainAccount)
				defer os.Remove(filepath.Join(dir, "aaa.go"))
			}
			if now := hotPCs(t, dir, rec); c.moves && (len(now) != len(was) || slices.Equal(now, was)) {
				t.Errorf("the edit moves no code: %x, then %x", was, now)
			}
			r, err := Replay(t.Context(), ReplayOptions{Dir: dir, ID: rec.Finding.ID, Runs: runs}, nil)
			if err != nil {
				t.Fatal(err)
			}
			last := OpenModule(dir).Findings().All[0].Last
			switch {
			case c.fails:
				if r.Count.Failed != runs || r.Outcome != Fails {
					t.Errorf("failed %s, %s: %s", r.Count, r.Outcome, r.Note)
				}
			case r.Count.Failed != 0 || r.Outcome != Outdated || !strings.Contains(r.Outdated, "acct.go changed") || !strings.Contains(r.Note, "hocket find"):
				t.Errorf("%+v, want 0 of %d, outdated", r, runs)
			}
			if last == nil || last.Outcome != r.Outcome {
				t.Errorf("the editor learns %+v, the command line %s", last, r.Outcome)
			}
		})
	}
}
