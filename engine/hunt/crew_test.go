package hunt

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/ladder"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/testmodule"
)

// many are stages with a program for each entry, whose runs cost time.
type many struct {
	interpreted
	programs map[string]func(*sim.Thread)
	cost     map[string]time.Duration
	wrap     func(run.Runner) run.Runner
}

func (m *many) Build(_ context.Context, t target.Target, _ target.Flags) (run.Runner, error) {
	r := sim.New(m.programs[t.Entry])
	r.Cost = m.cost[t.Entry]
	if m.wrap != nil {
		return m.wrap(r), nil
	}
	return r, nil
}

// log is a Sink for many jobs, which remembers the order of what it was told.
type log struct {
	mu       sync.Mutex
	lines    map[string]report.Target
	released []*Found
	tried    map[string]Tried
	past     Past
	update   progress.Update
}

func (l *log) Target(j *Job, change func(*report.Target)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := l.lines[j.Entry]
	change(&line)
	l.lines[j.Entry] = line
}

func (l *log) Progress(change func(*progress.Update)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(&l.update)
}

func (l *log) Tried(j *Job, t Tried) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tried[j.Entry] = t
}

func (l *log) Release(f *Found) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f.Finding.ID = f.Job.Entry + f.Signature // as a store would: one for each bug
	l.released = append(l.released, f)
}

func (l *log) Past(*Job, string) Past            { return l.past }
func (l *log) Note(string)                       {}
func (l *log) Warn(string)                       {}
func (l *log) Replayed(*Job, *Earlier, int, int) {}
func (l *log) Absent(*Job, *Earlier)             {}
func (l *log) Always(*Job, *Earlier)             {}
func (l *log) Hold(*Found)                       {}
func (l *log) Drop(*search.Finding)              {}

func huntAll(t *testing.T, ctx context.Context, m *many, l *log, budget time.Duration, schedules int) {
	dir := testmodule.New(t, "-- go.mod --\nmodule m\n")
	l.lines, l.tried = map[string]report.Target{}, map[string]Tried{}
	var jobs []*Job
	for i := range len(m.programs) {
		j := jobIn(dir)
		j.Entry, j.Schedules = entry(i), schedules
		l.lines[j.Entry] = report.Target{Status: report.NotReached}
		jobs = append(jobs, j)
	}
	h := &Hunter{Stages: m, Sink: l, Start: time.Now(), Budget: budget}
	h.All(ctx, jobs)
}

func entry(i int) string { return fmt.Sprintf("Test%02d", i) }

func programs(n int, p func(*sim.Thread), cost time.Duration) *many {
	m := &many{interpreted: interpreted(p), programs: map[string]func(*sim.Thread){}, cost: map[string]time.Duration{}}
	for i := range n {
		m.programs[entry(i)], m.cost[entry(i)] = p, cost
	}
	return m
}

// Forty tests that race in every schedule: all are reported, before any is looked
// into, which is done once since they have one cause.
func TestNoRaceIsLost(t *testing.T) {
	m, l := programs(40, sim.Racy, 2*time.Millisecond), &log{}
	huntAll(t, t.Context(), m, l, 6*time.Second, 3000)
	seen, explained := map[string]bool{}, map[string]bool{}
	refer := 0
	for _, f := range l.released {
		if f.Signature == "" || !strings.HasPrefix(f.Signature, "data-race") {
			continue
		}
		if f.Explanation != nil {
			if len(seen) < 40 {
				t.Errorf("%s was explained when %d of 40 had been reported", f.Job.Entry, len(seen))
			}
			explained[f.Job.Entry+f.Signature] = true
		}
		if f.Finding.SameAs != "" {
			refer++
		}
		seen[f.Job.Entry] = true
	}
	if len(seen) != 40 {
		t.Errorf("%d of 40 targets are reported", len(seen))
	}
	if len(explained) == 0 || len(explained)+refer < 40 || len(explained) > 3 {
		t.Errorf("%d explained, %d refer to those", len(explained), refer)
	}
	if u := l.update; u.Reached != 40 || u.Done > u.Reached {
		t.Errorf("reached %d, done %d", u.Reached, u.Done)
	}
}

// A program whose runs take longer than its share of the first pass, or for ever,
// neither keeps others from their first look nor from the end of their search. Its
// turn comes later.
func TestASlowTargetWaits(t *testing.T) {
	for name, cost := range map[string]time.Duration{"slow": 900 * time.Millisecond, "endless": time.Hour} {
		m, l := programs(8, sim.Correct, 2*time.Millisecond), &log{}
		m.cost[entry(0)] = cost
		huntAll(t, t.Context(), m, l, 6*time.Second, 3000)
		for i := 1; i < 8; i++ {
			if line := l.lines[entry(i)]; line.Status != report.Clean {
				t.Errorf("%s beside a target that is %s: %s after %d", entry(i), name, line.Status, line.Searched.Attempts)
			}
		}
		line := l.lines[entry(0)]
		missed := line.Status == report.NotReached && strings.Contains(line.Note, "no run ended within the ")
		if missed != (name == "endless") || !missed && line.Searched.Attempts == 0 {
			t.Errorf("%s: %s, %s", name, line.Status, line.Note)
		}
	}
}

// The targets' searches do not depend on one another: each tries what it tries
// alone.
func TestSearchesAreTheirOwn(t *testing.T) {
	attempts := func(n int) (all []int) {
		l := &log{}
		huntAll(t, t.Context(), programs(n, sim.LostUpdate(3, 3), 0), l, 20*time.Second, 3000)
		for i := range n {
			all = append(all, l.lines[entry(i)].Searched.Attempts)
		}
		return all
	}
	alone := attempts(1)[0]
	for i, n := range attempts(4) {
		if n != alone || n == 0 {
			t.Errorf("target %d: %d attempts, alone %d", i, n, alone)
		}
	}
}

// Cancelled, a hunt of many ends at once, and what no run was made of is not reached.
func TestCancelledHunt(t *testing.T) {
	m, l := programs(60, sim.LostUpdate(2, 1), 50*time.Millisecond), &log{}
	ctx, cancel := context.WithCancel(t.Context())
	var at time.Time
	time.AfterFunc(700*time.Millisecond, func() { at = time.Now(); cancel() })
	huntAll(t, ctx, m, l, time.Minute, 3000)
	if d := time.Since(at); d > time.Second/2 {
		t.Errorf("went on for %v", d)
	}
	missed := 0
	for e, line := range l.lines {
		if reached := line.Searched.Attempts > 0; !reached && line.Status == report.NotReached {
			missed++
		} else if !reached {
			t.Errorf("%s: %s without an attempt", e, line.Status)
		}
	}
	if missed == 0 || missed == 60 {
		t.Errorf("%d not reached", missed)
	}
}

// ending cancels the hunt with the first failure.
type ending struct {
	run.Runner
	cancel func()
	failed *atomic.Bool
}

func (e ending) Run(ctx context.Context, spec run.Spec) (*run.Result, error) {
	if e.failed.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	r, err := e.Runner.Run(ctx, spec)
	if err == nil && r.Failed() {
		e.failed.Store(true)
		time.AfterFunc(100*time.Millisecond, e.cancel)
	}
	return r, err
}

// A failure that was seen once when the time ends is named, and the next search
// begins with it.
func TestCaughtAtTheEnd(t *testing.T) {
	m, l := programs(1, sim.LostUpdate(2, 1), 0), &log{}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	m.wrap = func(r run.Runner) run.Runner { return ending{r, cancel, new(atomic.Bool)} }
	huntAll(t, ctx, m, l, time.Minute, 3000)
	line, tried := l.lines[entry(0)], l.tried[entry(0)]
	if len(l.released) > 0 || line.Status != report.CutShort || !strings.Contains(line.Note, "was caught when the time ended") || len(tried.Caught) != 1 {
		t.Fatalf("released %d, %+v, kept %+v", len(l.released), line, tried)
	}
	again := &log{past: Past{Seed: 1, Tried: 5, Caught: tried.Caught}}
	m.wrap = nil
	huntAll(t, t.Context(), m, again, time.Minute, 3000)
	if len(again.released) == 0 || again.released[0].Finding.Search.Attempts != 1 {
		t.Errorf("the next search does not begin with it: %+v", again.released)
	}
}

// A proof of the very program is not made again.
func TestProvedEarlier(t *testing.T) {
	m, l := programs(1, sim.Correct, 0), &log{past: Past{Proved: "every behaviour is covered"}}
	huntAll(t, t.Context(), m, l, time.Minute, 3000)
	if line := l.lines[entry(0)]; line.Status != report.Clean || line.Runs != 0 || line.Note != "proved earlier, unchanged: every behaviour is covered" {
		t.Errorf("%+v", line)
	}
}

// What of the native runs the time did not allow is said so.
func TestNotTriedNatively(t *testing.T) {
	m, l := programs(1, sim.LostUpdate(2, 1), 0), &log{}
	l.lines, l.tried = map[string]report.Target{}, map[string]Tried{}
	j := jobIn(testmodule.New(t, "-- go.mod --\nmodule m\n"))
	j.Entry = entry(0)
	h := &Hunter{Stages: hanging{m}, Sink: l, Start: time.Now(), Budget: 2 * time.Second}
	h.Hunt(t.Context(), j)
	if len(l.released) == 0 {
		t.Fatal("nothing was released")
	}
	last := l.released[len(l.released)-1].Finding
	if !last.Unfinished || !strings.Contains(last.NativeNote, "not tried, the budget ended") || last.RootCause == nil {
		t.Errorf("%+v", last)
	}
}

// hanging are stages whose native runs take for ever.
type hanging struct{ *many }

func (hanging) Native(ctx context.Context, _ ladder.Evidence, _ int) (*ladder.Trial, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// building notes which builds were under way when one began.
type building struct {
	*many
	mu     sync.Mutex
	now    map[string]bool
	beside map[string]int
}

func (b *building) Build(ctx context.Context, t target.Target, f target.Flags) (run.Runner, error) {
	b.mu.Lock()
	b.beside[t.Dir] = max(b.beside[t.Dir], len(b.now))
	b.now[t.Dir] = true
	b.mu.Unlock()
	time.Sleep(20 * time.Millisecond)
	b.mu.Lock()
	delete(b.now, t.Dir)
	b.mu.Unlock()
	return b.many.Build(ctx, t, f)
}

// The smallest program is built first, the others in their order.
func TestSmallestFirst(t *testing.T) {
	root := t.TempDir()
	var programs [][]*pipeline
	for i, size := range []int{500, 70, 90, 60, 80} {
		dir := filepath.Join(root, fmt.Sprint("dir", i))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, n := range map[string]int{"a.go": size / 2, "a_test.go": size / 2, "data.txt": 1000 - size} {
			if err := os.WriteFile(filepath.Join(dir, name), make([]byte, n), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		programs = append(programs, []*pipeline{{job: jobIn(dir)}})
	}
	got := ""
	for _, p := range smallestFirst(programs) {
		got += filepath.Base(p[0].job.Dir) + " "
	}
	if want := "dir3 dir0 dir1 dir2 dir4 "; got != want {
		t.Errorf("order %s, want %s", got, want)
	}
}

// The first program is built alone, later ones at most two at a time, and the targets
// of one program one after the other.
func TestBuildsOverlap(t *testing.T) {
	if run.Workers(0) < 2 {
		t.Skip("one processor")
	}
	b := &building{many: programs(12, sim.Correct, 0), now: map[string]bool{}, beside: map[string]int{}}
	l := &log{lines: map[string]report.Target{}, tried: map[string]Tried{}}
	var jobs []*Job
	for i := range 12 {
		j := jobIn(fmt.Sprint("dir", i/3))
		j.Entry = entry(i)
		jobs = append(jobs, j)
	}
	(&Hunter{Stages: b, Sink: l, Start: time.Now(), Budget: time.Minute}).All(t.Context(), jobs)
	most := 0
	for _, n := range b.beside {
		most = max(most, n)
	}
	if b.beside["dir0"] != 0 || most != 1 || len(b.beside) != 4 {
		t.Errorf("builds beside others: %v", b.beside)
	}
}
