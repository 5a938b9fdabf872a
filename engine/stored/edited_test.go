package stored

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/build"
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
	pcs, err := runner.Index().PCs(rec.Schedule.Hot)
	if err != nil {
		t.Fatal(err)
	}
	return pcs
}

// TestReplayAfterEdits: an edit elsewhere moves code, and the schedule means the
// same; a replay that misses after an edit of its code is outdated, never fixed.
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
		debug            bool
	}{
		{"nothing", "", "", false, true, false},
		{"a function above, in the same file", "acct.go", above, true, true, true},
		{"a function in another file", "aaa.go", "package acct\n" + fees, true, true, false},
		{"a comment inside", "acct.go", strings.Replace(plainAccount, "\tif", "\t// enough?\n\tif", 1), false, true, false},
		{"an operation inside", "acct.go", strings.Replace(plainAccount, "\tif", "\tfor range 2 {\n\t\tmu.Lock()\n\t\tmu.Unlock()\n\t}\n\tif", 1) +
			"\nvar mu sync.Mutex\n", false, false, false},
		{"fixed", "acct.go", strings.Replace(plainAccount, "\tif", "\tmu.Lock()\n\tdefer mu.Unlock()\n\tif", 1) + "\nvar mu sync.Mutex\n", false, false, true},
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
			if c.debug {
				d, err := PrepareDebug(t.Context(), DebugOptions{Dir: dir, ID: rec.Finding.ID}, nil)
				if err == nil {
					if d.Note != "" {
						t.Errorf("the build without optimisations does not fail: %s", d.Note)
					}
					d.Close()
				}
				if c.fails != (err == nil) || err != nil && !strings.Contains(err.Error(), "is outdated: acct.go changed, so its schedule") {
					t.Errorf("to be debugged: %v", err)
				}
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

// TestReplayOfVersion1: the schedule of a finding that an earlier Hocket kept names
// lines, beside program counters of a build that is gone.
func TestReplayOfVersion1(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	dir := testmodule.Dir(t)
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "acct.go": plainAccount, "acct_test.go": plainTest} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	rec := plainFinding(t, dir)
	path := filepath.Join(dir, ".hocket", "findings", rec.Finding.ID+".json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file map[string]any
	numbers := json.NewDecoder(bytes.NewReader(data))
	numbers.UseNumber()
	if err := numbers.Decode(&file); err != nil {
		t.Fatal(err)
	}
	s := file["schedule"].(map[string]any)
	delete(s, "Version")
	delete(s, "Hot")
	s["HotPCs"], s["HotSites"] = []int{17, 18}, []string{"acct.go:6", "acct.go:9"}
	file["format"] = 2
	if data, err = json.Marshal(file); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := Replay(t.Context(), ReplayOptions{Dir: dir, ID: rec.Finding.ID, Runs: 20}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Count.Failed != 20 || r.Outcome != Fails {
		t.Errorf("failed %s, %s: %s", r.Count, r.Outcome, r.Note)
	}
}

// TestSitesOfAProgram: in a whole program, two accesses have two sites, and each
// site leads back to its access, without the other's having been asked about.
func TestSitesOfAProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	dir := testmodule.Dir(t)
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "acct.go": plainAccount, "acct_test.go": plainTest} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, _, runner := plainProgram(t, dir)
	index := func() *site.Index { return site.NewIndex(runner.Binary().Path) }
	m, err := index().Image()
	if err != nil {
		t.Fatal(err)
	}
	var pcs []uint64
	for _, c := range m.AllCalls(func(callee string) bool { return strings.HasPrefix(callee, "runtime.race") }) {
		pcs = append(pcs, c.Return)
	}
	if len(pcs) < 1000 {
		t.Fatalf("the program has %d accesses", len(pcs))
	}
	sites, err := index().Sites(pcs)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]uint64{}
	for i, s := range sites {
		if other, ok := seen[s]; s == "" || ok {
			t.Fatalf("%#x and %#x are both %q", other, pcs[i], s)
		}
		seen[s] = pcs[i]
	}
	for i := 0; i < len(pcs); i += len(pcs) / 50 {
		if got, err := index().PCs(sites[i : i+1]); err != nil || !slices.Equal(got, pcs[i:i+1]) {
			t.Errorf("%s is %#x, %v; want %#x", sites[i], got, err, pcs[i])
		}
	}
	if got, err := index().PCs(sites); err != nil || !slices.Equal(got, pcs) {
		t.Errorf("all %d sites are %d addresses, %v", len(sites), len(got), err)
	}
}
