package engine

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/session"
	"github.com/hocket-dev/hocket/engine/stored"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/testmodule"
)

// Texts of these tests: an account whose Withdraw is right in one lock region,
// and wrong where check and act are two.
const (
	rightAccount = `package ACC

import "sync"

type Account struct {
	mu sync.Mutex
	N  int
}

func (a *Account) Withdraw(k int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.N >= k {
		a.N -= k
	}
}
`
	wrongAccount = `// Comments that are not saved
// shift the lines.

package ACC

import "sync"

type Account struct {
	mu sync.Mutex
	N  int
}

func (a *Account) Withdraw(k int) {
	a.mu.Lock()
	enough := a.N >= k // checks
	a.mu.Unlock()
	if enough {
		a.mu.Lock()
		a.N -= k // acts
		a.mu.Unlock()
	}
}
`
	accountTest = `package TEST

import (
	"sync"
	"testing"
IMPORT
)

func TestWithdraw(t *testing.T) {
	a := &ACCAccount{N: 10}
	var wg sync.WaitGroup
	wg.Go(func() { a.Withdraw(8) })
	wg.Go(func() { a.Withdraw(7) })
	wg.Wait()
	if a.N < 0 {
		t.Errorf("overdrawn: %d", a.N)
	}
}
`
)

func account(text string) string { return strings.ReplaceAll(text, "ACC", "acc") }

// testOf is the test inside package acc, or in another package that imports it.
func testOf(importPath string) string {
	r := strings.NewReplacer("TEST", "acc", "IMPORT\n", "", "ACC", "")
	if importPath != "" {
		r = strings.NewReplacer("TEST", "use", "IMPORT", "\n\t\""+importPath+"\"", "ACC", "acc.")
	}
	return r.Replace(accountTest)
}

// unsavedModule has files on disk, and others in buffers: the overlay.
type unsavedModule struct {
	t       *testing.T
	dir     string
	overlay map[string]string
	buffers string
}

func newUnsaved(t *testing.T, disk string, buffers map[string]string) *unsavedModule {
	t.Helper()
	m := &unsavedModule{t: t, dir: testmodule.Dir(t), overlay: map[string]string{}, buffers: testmodule.Dir(t)}
	for _, f := range txtar.Parse([]byte(disk)).Files {
		m.write(f.Name, string(f.Data))
	}
	for name, text := range buffers {
		copied := filepath.Join(m.buffers, strings.ReplaceAll(name, "/", "-")+"~")
		if err := os.WriteFile(copied, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		m.overlay[filepath.Join(m.dir, name)] = copied
	}
	return m
}

func (m *unsavedModule) write(name, text string) {
	m.t.Helper()
	path := filepath.Join(m.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		m.t.Fatal(err)
	}
}

// save writes the buffers to disk, as an editor does.
func (m *unsavedModule) save() {
	m.t.Helper()
	for path, copied := range m.overlay {
		text, err := os.ReadFile(copied)
		if err == nil {
			err = os.WriteFile(path, text, 0o666)
		}
		if err != nil {
			m.t.Fatal(err)
		}
	}
}

func (m *unsavedModule) find(dir string, schedules int) (*report.Report, error) {
	return session.Find(context.Background(), session.Options{Dir: filepath.Join(m.dir, dir), Patterns: []string{"."},
		Schedules: schedules, Budget: 4 * time.Minute, Overlay: m.overlay}, nil)
}

// confirmed asserts one finding, native, whose root cause lies on the lines of
// the unsaved text that check and act, as the file's name is.
func (m *unsavedModule) confirmed(dir, file string) *report.Finding {
	m.t.Helper()
	rep, err := m.find(dir, 200)
	if err != nil {
		m.t.Fatal(err)
	}
	if len(rep.Findings) != 1 {
		m.t.Fatalf("%d findings, targets %+v", len(rep.Findings), rep.Targets[0])
	}
	f := rep.Findings[0]
	if f.Confirmed != "native" || f.Class != "atomicity-violation" || !strings.HasPrefix(f.Message, "overdrawn") {
		m.t.Errorf("%s: %s: confirmed %s (%s), class %s", f.ID, f.Message, f.Confirmed, f.NativeNote, f.Class)
	}
	lines := strings.Split(wrongAccount, "\n")
	marks := ""
	for _, a := range f.RootCause {
		if a.File != file || a.Line > len(lines) {
			m.t.Errorf("a root cause at %s:%d", a.File, a.Line)
			continue
		}
		if _, comment, ok := strings.Cut(lines[a.Line-1], "// "); ok {
			marks += comment + " "
		}
	}
	if !strings.Contains(marks, "checks") || !strings.Contains(marks, "acts") {
		m.t.Errorf("the root cause is on other lines than those that check and act: %v", f.RootCause)
	}
	return f
}

const gomod = "-- go.mod --\nmodule example.com/m\n\ngo 1.26\n"

// TestUnsavedBug: a bug whose code and test are in buffers only is found as
// if they were saved. Its replay before the save runs what is on disk and says
// so; from the save on the finding is current.
func TestUnsavedBug(t *testing.T) {
	skipShort(t)
	m := newUnsaved(t, gomod+"-- acc.go --\n"+account(rightAccount)+"-- acc_test.go --\n"+testOf("")+"-- old.go --\npackage acc\n\nfunc init() { undefined() }\n",
		map[string]string{"acc.go": account(wrongAccount)})
	m.overlay[filepath.Join(m.dir, "old.go")] = "" // deleted
	f := m.confirmed("", "acc.go")

	module := stored.OpenModule(m.dir)
	kept := module.Findings().All
	if len(kept) != 1 || kept[0].Texts["acc.go"] != account(wrongAccount) {
		t.Fatalf("the kept text is not the one that was searched: %+v", kept)
	}
	if p := kept[0].Explanation; p == nil || !strings.Contains(p.Text(), "a.N -= k") {
		t.Error("the explanation does not show the unsaved text")
	}
	if err := os.Remove(filepath.Join(m.dir, "old.go")); err != nil {
		t.Fatal(err)
	}

	replay := func() *stored.Replayed {
		t.Helper()
		r, err := stored.Replay(context.Background(), stored.ReplayOptions{Dir: m.dir, ID: f.ID, Runs: 2}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := replay(); r.Count.Failed != 0 || !strings.Contains(r.Outdated, "acc.go changed") {
		t.Errorf("before the save: %+v", r)
	}
	delete(m.overlay, filepath.Join(m.dir, "old.go"))
	m.save()
	if r := replay(); r.Count.Failed != 2 || r.Outdated != "" {
		t.Errorf("after the save: %+v", r)
	}
}

// TestUnsavedPlaces: files of other folders, vendored and in another module of
// the workspace, and a test file that is not on disk at all.
func TestUnsavedPlaces(t *testing.T) {
	skipShort(t)
	t.Run("vendored", func(t *testing.T) {
		const dep = "example.com/acc"
		m := newUnsaved(t, `
-- go.mod --
module example.com/m

go 1.26

require example.com/acc v1.0.0
-- vendor/modules.txt --
# example.com/acc v1.0.0
## explicit; go 1.26
example.com/acc
-- vendor/example.com/acc/acc.go --
`+account(rightAccount)+"-- use.go --\npackage use\n",
			map[string]string{"vendor/example.com/acc/acc.go": account(wrongAccount), "use_test.go": testOf(dep)})
		m.confirmed("", "vendor/example.com/acc/acc.go")
	})
	t.Run("workspace", func(t *testing.T) {
		m := newUnsaved(t, `
-- go.work --
go 1.26

use (
	./acc
	./use
)
-- acc/go.mod --
module example.com/acc

go 1.26
-- acc/acc.go --
`+account(rightAccount)+`
-- use/go.mod --
module example.com/use

go 1.26
-- use/use_test.go --
`+testOf("example.com/acc"), map[string]string{"acc/acc.go": account(wrongAccount)})
		m.confirmed("use", "../acc/acc.go")
	})
}

// TestUnsavedFix: a bug that is fixed only in a buffer has no finding.
func TestUnsavedFix(t *testing.T) {
	skipShort(t)
	m := newUnsaved(t, gomod+"-- acc.go --\n"+account(wrongAccount)+"-- acc_test.go --\n"+testOf(""),
		map[string]string{"acc.go": account(rightAccount)})
	rep, err := m.find("", 60)
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Findings) != 0 || rep.Targets[0].Status != "clean" {
		t.Errorf("%+v, findings %v", rep.Targets[0], rep.Findings)
	}
}

// TestSavedMeanwhile: who saves another text during the search does not spoil
// the confirmation of what was found.
func TestSavedMeanwhile(t *testing.T) {
	skipShort(t)
	m := newUnsaved(t, gomod+"-- acc.go --\n"+account(wrongAccount)+"-- acc_test.go --\n"+testOf(""), nil)
	var once sync.Once
	rep, err := session.Find(context.Background(), session.Options{Dir: m.dir, Schedules: 200, Budget: 4 * time.Minute}, func(u progress.Update) {
		if u.Phase == progress.Simplifying {
			once.Do(func() {
				m.write("acc.go", "\n\n\n"+account(rightAccount))
				m.write("more_test.go", "package acc\n\nvar _ = stillBeingTyped\n")
			})
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Findings) != 1 || rep.Findings[0].Confirmed != "native" {
		t.Fatalf("%+v, %+v", rep.Targets[0], rep.Findings)
	}
	if now, err := os.ReadFile(filepath.Join(m.dir, "acc.go")); err != nil || !strings.HasPrefix(string(now), "\n\n\n") {
		t.Errorf("what the user saved is gone: %v", err)
	}
	outdated := stored.OpenModule(m.dir).Findings().All[0]
	if outdated.Texts["acc.go"] != account(wrongAccount) {
		t.Error("the kept text is not the one that was searched")
	}
}

// TestUnsavedErrors: what can't be searched is told in one line, with names of
// the user's files.
func TestUnsavedErrors(t *testing.T) {
	for _, c := range []struct {
		name, file, text, want string
	}{
		{"broken", "acc.go", "package acc\n\nfunc init() { undefined() }\n", "does not compile: acc.go:3:15: undefined: undefined"},
		{"syntax", "acc_test.go", "package acc\n\nfunc {\n", "acc_test.go:3:6: "},
		{"new folder", "fresh/x_test.go", strings.ReplaceAll(testOf(""), "a.Withdraw", "_ = a.Withdraw"), "the folder exists in the overlay only; save a file in it first"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newUnsaved(t, gomod+"-- acc.go --\n"+account(rightAccount)+"-- acc_test.go --\n"+testOf(""), map[string]string{c.file: c.text})
			rep, err := session.Find(context.Background(), session.Options{Dir: m.dir, Patterns: []string{"./" + filepath.Dir(c.file)}, Schedules: 1, Overlay: m.overlay}, nil)
			got := ""
			switch {
			case err != nil:
				got = err.Error()
			case len(rep.Targets) > 0:
				got = rep.Targets[0].Error
			}
			if !strings.Contains(got, c.want) || strings.Contains(got, m.buffers) || strings.Contains(got, "\n") {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestUnsavedLinks: a folder has several names where symbolic links lead to it;
// the buffer's name need not be the one that the go command uses.
func TestUnsavedLinks(t *testing.T) {
	m := newUnsaved(t, gomod+"-- acc.go --\n"+account(rightAccount), map[string]string{"acc_test.go": testOf("")})
	link := filepath.Join(testmodule.Dir(t), "link")
	if err := os.Symlink(m.dir, link); err != nil {
		t.Fatal(err)
	}
	buffer := m.overlay[filepath.Join(m.dir, "acc_test.go")]
	for _, c := range []struct{ pwd, file string }{{m.dir, m.dir}, {m.dir, link}, {link, m.dir}, {link, link}} {
		t.Setenv("PWD", c.pwd) // which the go command trusts
		env, err := target.LoadEnv(t.Context(), c.pwd)
		if err != nil {
			t.Fatal(err)
		}
		overlay, err := build.Unsaved(map[string]string{filepath.Join(c.file, "acc_test.go"): buffer}, env.Module)
		if err != nil {
			t.Fatal(err)
		}
		targets, _, err := target.Discover(t.Context(), env, target.Query{Overlay: overlay})
		if err != nil || len(targets) != 1 || targets[0].Entry != "TestWithdraw" {
			t.Errorf("in %s, the buffer in %s: %+v, %v", c.pwd, c.file, targets, err)
		}
	}
}

func skipShort(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and searches a program")
	}
}
