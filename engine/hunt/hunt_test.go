package hunt

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/ladder"
	"github.com/hocket-dev/hocket/engine/overlay"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/testmodule"
)

// interpreted are stages whose one program is interpreted.
type interpreted func(*sim.Thread)

func (p interpreted) Build(context.Context, target.Target, target.Flags) (run.Runner, error) {
	return sim.New(p), nil
}

func (interpreted) Native(_ context.Context, _ ladder.Evidence, n int) (*ladder.Trial, error) {
	return &ladder.Trial{Count: report.Count{Runs: n, Failed: n}}, nil
}

func (interpreted) Pinned(context.Context, ladder.Evidence, int) (*ladder.Trial, error) {
	return nil, errors.New("not asked for")
}

func (interpreted) Close() {}

// notes is a Sink that only remembers.
type notes struct {
	mu     sync.Mutex
	line   report.Target
	levels []report.Level // of what was released, in order
	last   *Found
	held   *Found
	past   Past
	tried  Tried
}

func (n *notes) Target(_ *Job, change func(*report.Target)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	change(&n.line)
}

func (n *notes) Progress(change func(*progress.Update)) { change(&progress.Update{}) }
func (n *notes) Note(string)                            {}
func (n *notes) Warn(string)                            {}
func (n *notes) Replayed(*Job, *Earlier, int, int)      {}
func (n *notes) Absent(*Job, *Earlier)                  {}
func (n *notes) Always(*Job, *Earlier)                  {}
func (n *notes) Past(*Job, string) Past                 { return n.past }
func (n *notes) Tried(_ *Job, t Tried)                  { n.tried = t }
func (n *notes) Hold(f *Found)                          { n.held = f }
func (n *notes) Drop(*search.Finding)                   { n.held, n.last = nil, nil }

func (n *notes) Release(f *Found) {
	n.levels, n.last, n.held = append(n.levels, f.Finding.Confirmed), f, nil
}

func jobIn(dir string) *Job {
	return &Job{Target: target.Target{Package: "m", Entry: "TestX", Dir: dir}, Strategy: search.Default, Schedules: 300,
		Roots: site.Roots{Module: dir}, Sources: sync.OnceValue(func() *build.Sources { return build.TakeSources(dir, (*overlay.Files)(nil)) })}
}

func hunt(t *testing.T, program func(*sim.Thread)) *notes {
	dir := testmodule.New(t, "-- go.mod --\nmodule m\n")
	var sink notes
	h := &Hunter{Stages: interpreted(program), Sink: &sink, Start: time.Now(), Budget: time.Minute}
	h.Hunt(t.Context(), jobIn(dir))
	if left, _ := filepath.Glob(filepath.Join(dir, ".hocket")); len(left) > 0 {
		t.Errorf("a hunt keeps nothing by itself: %v", left)
	}
	return &sink
}

// A hunt needs neither a report nor a store: whoever wants to know gives a Sink.
func TestHuntTellsItsSink(t *testing.T) {
	n := hunt(t, sim.LostUpdate(2, 1))
	if n.last == nil || n.line.Status != report.Failing {
		t.Fatalf("nothing was released; the target is %s", n.line.Status)
	}
	if n.levels[0] != report.Controlled || !slices.Contains(n.levels, report.Native) || n.last.Finding.Native == nil {
		t.Errorf("levels %v, at the end %+v", n.levels, n.last.Finding)
	}
	if n.last.Fail == nil || n.last.Pass == nil || n.last.Explanation == nil || n.last.Signature == "" || len(n.last.Schedule.Segments) == 0 {
		t.Errorf("incomplete: %+v", n.last)
	}
	if n.last.Finding.ID != "" {
		t.Errorf("the hunt gave the id %s, which is the Sink's to give", n.last.Finding.ID)
	}
}

// A program without the bug is covered, and nothing is released.
func TestHuntOfAGoodProgram(t *testing.T) {
	if n := hunt(t, sim.Correct); n.last != nil || n.held != nil || n.line.Status != report.Clean {
		t.Errorf("%s, released %+v, %v held", n.line.Status, n.last, n.held)
	}
}

// patient is a native confirmation that ends with its context only.
type patient struct{ interpreted }

func (patient) Native(ctx context.Context, _ ladder.Evidence, _ int) (*ladder.Trial, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// The budget is for confirming, too, whatever context the caller gives.
func TestHuntEndsWithItsBudget(t *testing.T) {
	var sink notes
	start := time.Now()
	h := &Hunter{Stages: patient{sim.LostUpdate(2, 1)}, Sink: &sink, Start: start, Budget: 2 * time.Second}
	h.Hunt(context.Background(), jobIn(testmodule.New(t, "-- go.mod --\nmodule m\n")))
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %v of 2s", took)
	}
	if sink.last == nil || sink.last.Finding.NativeNote != "native: not tried, the budget ended" {
		t.Errorf("%+v", sink.last)
	}
}
