package repair

import (
	"context"
	"encoding/json"
	"flag"
	"go/format"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/google/go-cmp/cmp"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/internal/testmodule"
)

var update = flag.Bool("update", false, "rewrite what testdata expects")

// TestPropose: each archive in testdata is a module, the part of a finding that matters
// (finding.json), and what comes out: for each candidate its title, and the lines that
// differ. Each candidate must type-check and be formatted.
func TestPropose(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p, want := problem(t, a)
			repairs, refused := Propose(context.Background(), p)
			var b strings.Builder
			for _, r := range repairs {
				b.WriteString("## " + r.Title + " [" + r.Kind + "]\n")
				for _, tell := range r.Tells {
					b.WriteString("tells: " + tell + "\n")
				}
				for _, name := range slices.Sorted(maps.Keys(r.Files)) {
					b.WriteString(changes(p.Code.Text(name), r.Files[name]))
				}
				check(t, p, r)
			}
			for _, r := range refused {
				b.WriteString("refused: " + r.Title + ": " + r.Why + "\n")
			}
			if *update {
				for i := range a.Files {
					if a.Files[i].Name == "want" {
						a.Files[i].Data = []byte(b.String())
					}
				}
				if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, b.String()); diff != "" {
				t.Errorf("candidates (-want +got):\n%s", diff)
			}
		})
	}
}

// problem writes the module of an archive and reads its finding.
func problem(t *testing.T, a *txtar.Archive) (p *Problem, want string) {
	t.Helper()
	dir := t.TempDir()
	f := &report.Finding{}
	for _, m := range a.Files {
		switch m.Name {
		case "want":
			want = string(m.Data)
		case "finding.json":
			if err := json.Unmarshal(m.Data, f); err != nil {
				t.Fatal(err)
			}
		default:
			testmodule.Write(t, filepath.Join(dir, m.Name), string(m.Data))
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		testmodule.Write(t, filepath.Join(dir, "go.mod"), "module p\n\ngo 1.26\n")
	}
	code, err := Load(context.Background(), dir, nil, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(code.Problems) > 0 {
		t.Fatal(code.Problems)
	}
	return &Problem{Finding: f, Roots: site.Roots{Module: dir}, Code: code}, want
}

// changes are the lines that differ, with + and -.
func changes(before, after []byte) string {
	old, new := strings.Split(string(before), "\n"), strings.Split(string(after), "\n")
	var b strings.Builder
	for len(old) > 0 || len(new) > 0 {
		switch {
		case len(old) > 0 && len(new) > 0 && old[0] == new[0]:
			old, new = old[1:], new[1:]
			continue
		}
		i, j := meet(old, new)
		for _, l := range old[:i] {
			b.WriteString("-" + l + "\n")
		}
		for _, l := range new[:j] {
			b.WriteString("+" + l + "\n")
		}
		old, new = old[i:], new[j:]
	}
	return b.String()
}

// meet is the nearest place where two texts go on with the same lines.
func meet(old, new []string) (i, j int) {
	for n := 1; n < len(old)+len(new); n++ {
		for i := 0; i <= n && i < len(old); i++ {
			j := n - i
			if j < len(new) && old[i] == new[j] && strings.TrimSpace(old[i]) != "" && strings.TrimSpace(old[i]) != "}" {
				return i, j
			}
		}
	}
	return len(old), len(new)
}

// check makes sure that a candidate type-checks and is formatted.
func check(t *testing.T, p *Problem, r *Repair) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(p.Roots.Module)); err != nil {
		t.Fatal(err)
	}
	for name, text := range r.Files {
		rel, err := filepath.Rel(p.Roots.Module, name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, rel), text, 0o666); err != nil {
			t.Fatal(err)
		}
		if f, err := format.Source(text); err != nil || string(f) != string(text) {
			t.Errorf("%s: %s is not formatted (%v):\n%s", r.Title, rel, err, text)
		}
	}
	code, err := Load(context.Background(), dir, nil, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range code.Problems {
		t.Errorf("%s: %s", r.Title, problem)
	}
}
