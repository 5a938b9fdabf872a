package process_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/process"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/trace"
)

// TestPrograms runs each program of testdata/programs under control: it must
// end as its line says under several schedules, and every schedule must give
// the same run again.
//
// An archive's comment lists "ENTRY [ARG...]: OUTCOME [MESSAGE]", one a line:
// OUTCOME is a trace.OutcomeKind, MESSAGE a part of the outcome's message. After
// " | " follows a part of the cause for which the program is not controllable:
// its runs need not be equal.
func TestPrograms(t *testing.T) {
	archives, err := filepath.Glob("testdata/programs/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no programs", err)
	}
	builder := instrument.NewBuilder(t.TempDir())
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			runArchive(t, builder, a)
		})
	}
}

// wanted is a line of an archive's comment.
type wanted struct {
	entry   string
	args    []string
	kind    trace.OutcomeKind
	message string
	cause   string
}

var entryName = regexp.MustCompile(`^(main$|Test|Example|Fuzz)`)

func parseWanted(comment []byte) []wanted {
	var out []wanted
	s := bufio.NewScanner(strings.NewReader(string(comment)))
	for s.Scan() {
		left, right, ok := strings.Cut(s.Text(), ": ")
		words := strings.Fields(left)
		if !ok || len(words) == 0 || !entryName.MatchString(words[0]) {
			continue
		}
		right, cause, _ := strings.Cut(right, " | ")
		kind, message, _ := strings.Cut(right, " ")
		out = append(out, wanted{words[0], words[1:], trace.OutcomeKind(kind), message, cause})
	}
	return out
}

func (w wanted) name() string { return strings.Join(append([]string{w.entry}, w.args...), "_") }

func runArchive(t *testing.T, builder *instrument.Builder, a *txtar.Archive) {
	dir := t.TempDir()
	for _, f := range a.Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	all := parseWanted(a.Comment)
	if len(all) == 0 {
		t.Fatal("nothing listed")
	}
	test := all[0].entry != "main"
	bin, err := builder.Control(context.Background(), instrument.Target{Dir: dir, ImportPath: "odd", Test: test})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range all {
		t.Run(w.name(), func(t *testing.T) {
			t.Parallel()
			mine := *bin
			mine.Target.Entry = w.entry
			w.check(t, &mine)
		})
	}
}

// schedules of which each is run, then replayed.
var tries = []run.Spec{
	{Strategy: run.POS, Seed: 1, Schedule: trace.Schedule{SelectSeed: 1}},
	{Strategy: run.Random, Seed: 2, Schedule: trace.Schedule{SelectSeed: 2, ClockStep: 200}, Collect: []int{40, 200}},
	{Strategy: run.PCT, Seed: 3, Depth: 3, Schedule: trace.Schedule{ClockStep: 2000}, Collect: []int{100}},
}

func (w wanted) check(t *testing.T, bin *instrument.Binary) {
	p, err := process.New(bin, site.NewIndex(bin.Path))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	specs, timeout := tries, 5*time.Minute // the machine may be busy
	if w.kind == trace.StepLimit {         // may take all the time that it is given
		specs, timeout = tries[:1], 3*time.Second
	}
	for _, spec := range specs {
		spec.Args = w.args
		spec.Timeout = timeout
		first, err := p.Run(context.Background(), spec)
		if err != nil {
			t.Fatal(err)
		}
		if first.Outcome.Kind != w.kind || !strings.Contains(first.Outcome.Message, w.message) {
			t.Errorf("%s: got %s, want %s %s", spec.Strategy, describe(first), w.kind, w.message)
			if testing.Verbose() {
				t.Logf("output: %.2000s", first.Outcome.Output)
			}
			continue
		}
		if w.cause != "" {
			if !strings.Contains(first.Outside, w.cause) {
				t.Errorf("%s: outside: got %q, want %q", spec.Strategy, first.Outside, w.cause)
			}
			continue
		}
		again := spec
		again.Strategy, again.Schedule = run.Replay, first.Schedule
		second, err := p.Run(context.Background(), again)
		if err != nil {
			t.Fatal(err)
		}
		if first.Hash != second.Hash || first.Outcome.Kind != second.Outcome.Kind || first.Outcome.Message != second.Outcome.Message {
			t.Errorf("%s: two runs of one schedule: %s, %s", spec.Strategy, describe(first), describe(second))
		}
	}
}

func describe(r *run.Result) string {
	return fmt.Sprintf("%s %q at %s (%d steps, hash %x, %d external, hang %t, %v)", r.Outcome.Kind, r.Outcome.Message,
		run.PlaceOf(r.Place), r.Steps, r.Hash, r.External, r.Hang, r.Duration.Round(time.Millisecond))
}
