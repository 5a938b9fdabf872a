package session

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run/sim"
)

// A test that fails alone and passes after others says so; one that always fails
// doesn't.
func TestFailsAloneOnly(t *testing.T) {
	dir := module(t)
	const src = `package m

import "testing"

var ready bool

func TestFirst(t *testing.T) { ready = true }

func TestNeedsFirst(t *testing.T) {
	if !ready {
		t.Fatal("not ready")
	}
}

func TestNever(t *testing.T) { t.Fatal("never") }

func TestControlOnly(t *testing.T) {}
`
	if err := os.WriteFile(filepath.Join(dir, "m_test.go"), []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	one, all := plainTime, plainAll
	plainTime, plainAll = 5*time.Minute, 5*time.Minute // a busy machine is slow
	t.Cleanup(func() { plainTime, plainAll = one, all })
	fails := func(th *sim.Thread) { th.Panic("fails") }
	p := &played{programs: map[string]func(*sim.Thread){"TestFirst": func(*sim.Thread) {}, "TestNeedsFirst": fails, "TestNever": fails, "TestControlOnly": fails}}
	rep := findWith(t, context.Background(), p, Options{Dir: dir})
	for _, line := range rep.Targets {
		want := map[string]string{
			"TestNeedsFirst":  "it failed alone, as with go test -run '^TestNeedsFirst$', and passed in a run of all tests",
			"TestNever":       "go test -run '^TestNever$' failed, too",
			"TestControlOnly": "a plain run of it passed",
		}[line.Entry]
		if (line.Status == report.FailsAlways) != (want != "") || want != "" && !strings.HasPrefix(line.Note, want) {
			t.Errorf("%s: %s, %q, want %q", line.Entry, line.Status, line.Note, want)
		}
	}
}
