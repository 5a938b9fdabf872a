package verify

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/hocket-dev/hocket/engine/repair"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/internal/testmodule"
)

const checking = `package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"sync/atomic"
)

var n atomic.Int64

func run(a, b int) error {
	if a != b {
		return fmt.Errorf("%d is not %d", a, b)
	}
	return nil
}

func take(free int, opened bool) {
	if free < 0 {
		panic("none left")
	}
	switch {
	case free > 8:
		log.Fatalf("%d", free)
	default:
		free++
	}
	if opened {
		free--
	} else {
		log.Println("closed")
		os.Exit(3)
	}
	if n.Load() > 0 {
		panic(errors.New("twice"))
	}
	n.Add(1)
	if free == 7 {
		os.Exit(0)
	}
}

func main() {
	ended := count()
	if ended != 1 || size() != 0 {
		fmt.Fprintln(os.Stderr, ended)
		os.Exit(1)
	}
	if err := run(1, 1); err != nil {
		log.Fatal(err)
	}
}
`

// TestGuards: what a program checks can't be made weaker, wherever that is; that it is
// read elsewhere, or looked at and set in one step, is another thing.
func TestGuards(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		rejected       bool
	}{
		{"nothing", "", "", false},
		{"before os.Exit", "ended != 1 || size() != 0", "ended > 1", true},
		{"before panic", "free < 0", "free < -1", true},
		{"before an error of a program", "a != b", "a < b", true},
		{"before log.Fatal", "err != nil {\n		log", "err != nil && false {\n		log", true},
		{"a case", "case free > 8", "case free > 9", true},
		{"of what is in else", "if opened {", "if opened || free > 0 {", true},
		{"what it is set to", "ended := count()", "ended := min(count(), 1)", true},
		{"before a good end", "free == 7", "free == 6", false},
		{"more is checked", "	if free == 7 {", "	if free == 8 {\n		panic(8)\n	}\n	if free == 7 {", false},
		{"read before, under a lock", "	if ended != 1 || size() != 0 {", "	mu.Lock()\n	left := size()\n	mu.Unlock()\n	if (ended != 1) || left != 0 {", false},
		{"by a variant", "size() != 0", "sizeLocked() != 0", false},
		{"looked at and set at once", "if n.Load() > 0 {", "if !n.CompareAndSwap(0, 1) {", false},
		{"another one set at once", "if n.Load() > 0 {", "if !m.CompareAndSwap(0, 1) {", true},
	} {
		why := changesGuards(map[string][]byte{"main.go": []byte(checking)}, map[string][]byte{"main.go": []byte(replaced(checking, c.old, c.new))})
		if (why != "") != c.rejected {
			t.Errorf("%s: %q", c.name, why)
		}
	}
}

// TestBounds: a value that is kept within bounds is not one that is right.
func TestBounds(t *testing.T) {
	const was = "package p\n\nfunc (q *quota) take() {\n	q.left--\n}\n"
	for _, c := range []struct {
		new    string
		hidden bool
	}{
		{"q.left--", false},
		{"q.left = max(0, q.left-1)", true},
		{"q.left = int64(math.Max(0, float64(q.left-1)))", true},
		{"q.left.Store(max(0, q.left.Load()-1))", true},
		{"q.left--\n	if q.left < 0 {\n		q.left = 0\n	}", true},
		{"if q.left.Add(-1) <= 0 {\n		q.left.Store(0)\n	}", false}, // the last one ends it
		{"if q.left.Load() < 0 {\n		q.left.Store(none)\n	}", true},
		{"q.mu.Lock()\n	defer q.mu.Unlock()\n	q.left--", false},
		{"if q.left > 0 {\n		q.left--\n	}", false},
		{"if q.left < 0 {\n		q.left = 0\n		return errFull\n	}", false},
		{"return max(0, q.left)", true},
		{"q.left = max(0, next)", true},
		{"other = max(0, q.right)\n	q.left--", false},
	} {
		c1 := check{Verifier: &Verifier{Request: Request{
			Finding: &report.Finding{RootCause: []report.Access{{File: "p.go", Line: 4, Op: "write", Var: "q.left"}}},
			Roots:   site.Roots{Module: "/m"}}},
			before: map[string][]byte{"/m/p.go": []byte(was)},
			files:  map[string][]byte{"/m/p.go": []byte(replaced(was, "q.left--", c.new))}}
		if why := c1.bounds(); (why != "") != c.hidden {
			t.Errorf("%s: %q", c.new, why)
		}
	}
}

// TestProposalsKeepWhatIsChecked: the rules about the texts reject nothing that is proposed
// for the programs of package repair's tests.
func TestProposalsKeepWhatIsChecked(t *testing.T) {
	files, err := filepath.Glob("../testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		dir, f := t.TempDir(), &report.Finding{}
		testmodule.Write(t, filepath.Join(dir, "go.mod"), "module p\n\ngo 1.26\n")
		for _, m := range a.Files {
			switch m.Name {
			case "want":
			case "finding.json":
				if err := json.Unmarshal(m.Data, f); err != nil {
					t.Fatal(err)
				}
			default:
				testmodule.Write(t, filepath.Join(dir, m.Name), string(m.Data))
			}
		}
		code, err := repair.Load(context.Background(), dir, nil, nil, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		p := &repair.Problem{Finding: f, Roots: site.Roots{Module: dir}, Code: code}
		repairs, _ := repair.Propose(context.Background(), p)
		for _, r := range repairs {
			before := map[string][]byte{}
			for name := range r.Files {
				before[name] = code.Text(name)
			}
			c := check{Verifier: &Verifier{Request: Request{Finding: f, Roots: p.Roots, Code: code}}, before: before, files: r.Files}
			if why := changesGuards(before, r.Files); why != "" {
				t.Errorf("%s: %s: %s", filepath.Base(file), r.Title, why)
			}
			if why := c.bounds(); why != "" {
				t.Errorf("%s: %s: %s", filepath.Base(file), r.Title, why)
			}
		}
	}
}
