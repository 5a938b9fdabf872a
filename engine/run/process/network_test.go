package process_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/process"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/trace"
)

// What calls on connections return is the same natively and under control:
// data, errors and their texts, addresses, and what is left after each end is
// closed, shut down or reset.
func TestNetworkAsNative(t *testing.T) {
	dir, err := filepath.Abs("testdata/network")
	if err != nil {
		t.Fatal(err)
	}
	native := filepath.Join(t.TempDir(), "network")
	build := exec.Command("go", "build", "-o", native, ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want, err := exec.Command(native).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, want)
	}
	bin, err := instrument.NewBuilder(t.TempDir()).Control(t.Context(), instrument.Target{Dir: dir, ImportPath: "network", Entry: "main"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := process.New(bin, site.NewIndex(bin.Path))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for seed := range uint64(3) {
		r, err := p.Run(t.Context(), run.Spec{Strategy: run.Random, Seed: seed, Timeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		if r.Outcome.Kind != trace.Passed {
			t.Errorf("seed %d: %s", seed, describe(r))
		}
		got, lines := strings.Split(r.Outcome.Output, "\n"), strings.Split(string(want), "\n")
		for i := range max(len(got), len(lines)) {
			if i >= len(got) || i >= len(lines) || got[i] != lines[i] {
				t.Fatalf("seed %d, line %d:\ncontrol %q\nnative  %q", seed, i+1, got[min(i, len(got)-1):], lines[min(i, len(lines)-1):])
			}
		}
	}
}
