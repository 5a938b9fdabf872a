package recordings

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/session"
	"github.com/hocket-dev/hocket/internal/testmodule"
)

// TestMain lets the test stand for hocket where a recording build starts it as a tool.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == instrument.RecordCommand {
		os.Exit(instrument.RecordTool(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// relay is a program of which a plain controlled run gives the prize to the goroutine
// started first; on Go's own scheduler it is mostly the one started last, for whom there
// is more to do, in which the mistake is.
const relay = `
-- go.mod --
module example.com/relay

go 1.26
-- relay.go --
package relay

import (
	"regexp"
	"sync"
)

var spaces = regexp.MustCompile(" +")

type Relay struct {
	mu     sync.Mutex
	winner int
	free   int
	notes  []string
}

func (r *Relay) Run(id int) {
	r.mu.Lock()
	if r.winner == 0 {
		r.winner = id
	}
	last := r.winner == 3
	r.mu.Unlock()
	if last {
		r.book()
	}
}

func (r *Relay) book() {
	note := spaces.ReplaceAllString("a  b", " ")
	if r.left() > 0 {
		r.take(note)
	}
}

func (r *Relay) left() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.free
}

func (r *Relay) take(note string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.free--; r.free < 0 {
		panic("more was taken than was there")
	}
	r.notes = append(r.notes, note)
}
-- relay_test.go --
package relay

import (
	"sync"
	"testing"
)

func TestRelay(t *testing.T) {
	r := &Relay{free: 1}
	var wg sync.WaitGroup
	for id := range 3 {
		wg.Go(func() { r.Run(id + 1) })
	}
	wg.Wait()
}
`

// A search starts from the recorded runs, in which the last goroutine won: that is no
// flipped condition, and fewer attempts are needed than without them. Those of another
// text are left out, and that is said.
func TestFindStartsFromRecordedRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and searches a program")
	}
	dir := testmodule.New(t, relay)
	find := func() (report.Spent, string) {
		t.Helper()
		var notes []string
		rep, err := Guided(t.Context(), session.Options{Dir: dir, Strategy: "cortex", Seed: 1, Budget: 40 * time.Second}, func(u progress.Update) { notes = append(notes, u.Message) })
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(rep.Findings, func(f *report.Finding) bool { return f.Kind == "panic" })
		if i < 0 {
			t.Fatalf("not found: %+v", rep.Targets[0])
		}
		os.RemoveAll(filepath.Join(dir, ".hocket", "findings"))
		return rep.Findings[i].Search, strings.Join(notes, "\n")
	}
	flips := func(s report.Spent, cond string) bool {
		return slices.ContainsFunc(s.Flipped, func(f report.Flip) bool { return f.Cond == cond && f.Outcome })
	}
	alone, _ := find()
	if alone.FromDatabase != 0 {
		t.Errorf("without recorded runs: %+v", alone)
	}
	if _, err := Record(context.Background(), Options{Dir: dir, Runs: 100}, nil); err != nil {
		t.Fatal(err)
	}
	from, _ := find()
	if from.FromDatabase == 0 || from.Started < from.FromDatabase || from.Attempts >= alone.Attempts || flips(from, "last") {
		t.Errorf("from recorded runs: %+v\nwithout: %+v", from, alone)
	}
	t.Logf("attempts: %d, from %d recorded runs %d", alone.Attempts, from.FromDatabase, from.Attempts)
	if !flips(from, "r.free < 0") {
		t.Errorf("no recorded run has taken too much: %+v", from.Flipped)
	}
	if story := from.Story(); !strings.Contains(story, "which started from") {
		t.Errorf("told as %q", story)
	}
	text := filepath.Join(dir, "relay.go")
	old, err := os.ReadFile(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(text, []byte(strings.Replace(string(old), "r.left() > 0", "r.left() > 0 && note != \"\"", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	if changed, notes := find(); changed.FromDatabase != 0 || !strings.Contains(notes, "left out: of another text of the program") {
		t.Errorf("another text: %+v\n%s", changed, notes)
	}
}
