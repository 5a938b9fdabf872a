package bug

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// childVariable makes the test binary a process that reports into a folder.
const childVariable = "HOCKET_TEST_BUGS"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childVariable); dir != "" {
		kept.tolerated, kept.dir = true, dir
		for i := range maxReports / 2 {
			kept.add(Report{Site: strconv.Itoa(i), Message: "in each process"})
			kept.add(Report{Site: fmt.Sprint(os.Getpid(), i), Message: "in this one"})
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// recovered panics with p and reports it.
func recovered(p any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = Recovered(p, "testing secret.Name")
		}
	}()
	panic(p)
}

func TestFatalInTests(t *testing.T) {
	panicOf := func(f func()) (p any) {
		defer func() { p = recover() }()
		f()
		return nil
	}
	for want, f := range map[string]func(){
		"bug: 3 locks of mu": func() { Reportf("%d locks of %s", 3, "mu") },
		"bug: panic while testing secret.Name: some value": func() { recovered("some value") },
	} {
		if got := panicOf(f); !strings.HasPrefix(fmt.Sprint(got), want) {
			t.Errorf("panic %v, want %s", got, want)
		}
	}
	Tolerate(t)
	Reportf("tolerated")
	if got := list(t); len(got) != 1 {
		t.Errorf("reports %+v: those that were fatal are kept too", got)
	}
}

func TestReportf(t *testing.T) {
	Tolerate(t)
	for i := range 3 { // one site
		Reportf("%d of %s, %v, %T, %q: %v", i, "secret", true, "secret", []string{"secret"}, errors.New("secret"))
	}
	err := Errorf("load %s: %w", "secret", os.ErrNotExist)
	if want := "load secret: file does not exist; internal error of Hocket; run \"hocket bug\" to report it"; err.Error() != want || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want %s", err, want)
	}
	got := list(t)
	if len(got) != 2 {
		t.Fatalf("%d reports, want 2: %+v", len(got), got)
	}
	for _, r := range got {
		if strings.Contains(r.Message, "secret") || !strings.Contains(r.Site, "bug.TestReportf (bug_test.go:") {
			t.Errorf("report %+v", r)
		}
	}
	one := got[0]
	if strings.HasPrefix(one.Message, "load") {
		one = got[1]
	}
	if want := "0 of <string>, true, <string>, <[]string>: <*errors.errorString>"; one.Message != want {
		t.Errorf("message %q, want %q", one.Message, want)
	}
	if !strings.HasPrefix(one.Site, "github.com/hocket-dev/hocket/internal/bug.TestReportf (bug_test.go:") || one.Stack[0] != one.Site {
		t.Errorf("site %q, stack %q", one.Site, one.Stack)
	}
	if one.Go == "" || one.Hocket == "" || one.Platform == "" || time.Since(one.Time) > time.Minute {
		t.Errorf("report %+v", one)
	}
}

func TestRecovered(t *testing.T) {
	Tolerate(t)
	var index []int
	byRuntime := func() (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = Recovered(p, "testing secret.Name")
			}
		}()
		return fmt.Errorf("%d", index[len(index)+2])
	}
	huge := strings.Repeat("secret\n", 1<<20)
	for _, err := range []error{byRuntime(), byRuntime(), recovered(huge)} {
		if want := `testing secret.Name failed: internal error of Hocket; run "hocket bug" to report it`; err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	got := list(t)
	if len(got) != 2 {
		t.Fatalf("%d reports, want 2: %+v", len(got), got)
	}
	for _, r := range got {
		text, err := json.Marshal(r)
		if err != nil || strings.Contains(string(text), "secret") || len(text) > 10_000 {
			t.Errorf("%d bytes, %v: %.2000s", len(text), err, text)
		}
		switch r.Message {
		case "panic: runtime error: index out of range [2] with length 0":
			if !strings.Contains(r.Site, "TestRecovered.func") {
				t.Errorf("site %q is not that of the panic", r.Site)
			}
		case "panic: <string>":
			if !strings.Contains(r.Site, "bug.recovered (bug_test.go:") {
				t.Errorf("site %q is not that of the panic", r.Site)
			}
		default:
			t.Errorf("message %q", r.Message)
		}
	}
}

// TestBounds: a stack and a message without end give a small report.
func TestBounds(t *testing.T) {
	Tolerate(t)
	var deep func(n int)
	deep = func(n int) {
		if n > 0 {
			deep(n - 1)
			return
		}
		Reportf("%0*d", 100_000, 1)
	}
	deep(10_000)
	got := list(t)
	if len(got) != 1 || len(got[0].Message) > maxMessage+3 || len(got[0].Stack) != maxFrames {
		t.Errorf("%d reports, %d bytes of message, %d frames", len(got), len(got[0].Message), len(got[0].Stack))
	}
}

// TestNoFolder: where the folder can't be made or read, reports stay in memory.
func TestNoFolder(t *testing.T) {
	Tolerate(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	kept.dir = filepath.Join(file, "bugs")
	Reportf("kept in memory")
	got, err := List()
	if len(got) != 1 || err == nil || !strings.Contains(err.Error(), kept.dir) {
		t.Errorf("reports %+v, error %v", got, err)
	}
}

// TestDamaged: a file that is not a report does not hide the others.
func TestDamaged(t *testing.T) {
	Tolerate(t)
	Reportf("one")
	bad := filepath.Join(kept.dir, "0.json")
	if err := os.WriteFile(bad, []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	clear(kept.here)
	got, err := List()
	if len(got) != 1 || got[0].Message != "one" || err == nil || !strings.Contains(err.Error(), bad) {
		t.Errorf("reports %+v, error %v", got, err)
	}
}

// TestProcesses: several processes report at once, more than is kept.
func TestProcesses(t *testing.T) {
	Tolerate(t)
	var children []*exec.Cmd
	for range 4 {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), childVariable+"="+kept.dir)
		c.Stderr = os.Stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		children = append(children, c)
	}
	for _, c := range children {
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
	got := list(t)
	// A process finds room for one report, and the others may do so at once.
	if len(got) < maxReports-len(children) || len(got) > maxReports+len(children) {
		t.Errorf("%d reports, want about %d", len(got), maxReports)
	}
	seen := map[string]bool{}
	for _, r := range got {
		if seen[r.Site] {
			t.Errorf("two reports of %s", r.Site)
		}
		seen[r.Site] = true
	}
	Reportf("the newest")
	if got := list(t); len(got) > maxReports || got[0].Message != "the newest" {
		t.Errorf("%d reports, the first %+v", len(got), got[0])
	}
	if err := Clear(); err != nil {
		t.Error(err)
	}
	if got := list(t); len(got) != 0 {
		t.Errorf("%d reports after Clear", len(got))
	}
}

func list(t *testing.T) []Report {
	t.Helper()
	got, err := List()
	if err != nil {
		t.Error(err)
	}
	return got
}
