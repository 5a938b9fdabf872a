package lsp

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// prepared is the module with its finding, and the servers.
type prepared struct {
	dir, file, text string
	line, column    int // of the bug, from 0
	insert          int // where lines are put, from 0
	hocket, gopls   string
}

// The bug: a balance is read, checked and written in three steps.
// The names end with the number of the copy.
const (
	bug = `
type hocketBenchAccount struct {
	mu      sync.Mutex
	balance int
}

func (a *hocketBenchAccount) get() int { a.mu.Lock(); defer a.mu.Unlock(); return a.balance }

func (a *hocketBenchAccount) set(n int) { a.mu.Lock(); defer a.mu.Unlock(); a.balance = n }

func (a *hocketBenchAccount) deposit(n int) {
	old := a.get()
	a.set(old + n)
}
`
	bugTest = `package nats

import (
	"sync"
	"testing"
)

func TestHocketBench(t *testing.T) {
	var a hocketBenchAccount
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { a.deposit(10) })
	}
	wg.Wait()
	if got := a.get(); got != 20 {
		t.Fatalf("balance %d, not 20", got)
	}
}
`
	bugLine = "\ta.set(old + n)\n"
)

func prepare(b *testing.B) *prepared {
	tmp, err := filepath.EvalSymlinks(b.TempDir())
	check(b, err)
	p := &prepared{dir: filepath.Join(tmp, "module"), hocket: filepath.Join(tmp, "hocket"), gopls: *goplsFlag}
	p.file = filepath.Join(p.dir, "nats.go")
	p.copyModule(b, tmp)
	must(b, ".", "go", "build", "-o", p.hocket, "../../cmd/hocket")
	if p.gopls == "" {
		install := exec.Command("go", "install", "golang.org/x/tools/gopls@v0.23.0")
		install.Env = append(os.Environ(), "GOBIN="+tmp, "GOFLAGS=-mod=mod")
		out, err := install.CombinedOutput()
		if err != nil {
			b.Fatalf("%v: %v\n%s", install, err, out)
		}
		p.gopls = filepath.Join(tmp, "gopls")
	}
	p.find(b)
	return p
}

// copyModule brings the module from the module cache, with the bug.
func (p *prepared) copyModule(b *testing.B, tmp string) {
	out := must(b, tmp, "go", "mod", "download", "-json", *moduleFlag)
	var m struct{ Dir string }
	check(b, json.Unmarshal(out, &m))
	check(b, os.CopyFS(p.dir, os.DirFS(m.Dir)))
	must(b, p.dir, "chmod", "-R", "u+w", ".")
	must(b, p.dir, "go", "mod", "download")
	text, err := os.ReadFile(p.file)
	check(b, err)
	p.text = string(text) + bug
	for n := strings.Count(p.text, "\n"); n < *lines; n += strings.Count(filler, "\n") {
		p.text += strings.ReplaceAll(filler, "N", strconv.Itoa(n))
	}
	tests := bugTest
	for i := range *findings - 1 {
		p.text += copyOf(bug, i)
		tests += copyOf(bugTest[strings.Index(bugTest, "func"):], i)
	}
	check(b, os.WriteFile(p.file, []byte(p.text), 0o666))
	check(b, os.WriteFile(filepath.Join(p.dir, "hocket_bench_test.go"), []byte(tests), 0o666))
	p.line = strings.Count(p.text[:strings.Index(p.text, bugLine)], "\n")
	p.column = strings.Index(bugLine, "set")
	p.insert = strings.Count(string(text), "\n")
	b.Logf("%s: %d lines in %s", *moduleFlag, strings.Count(p.text, "\n"), filepath.Base(p.file))
}

// filler is code that has nothing to do with the bugs; N is a number.
const filler = `
func hocketBenchFillerN(all []int) (sum int) {
	for _, n := range all {
		if n%2 == 0 {
			sum += n
		}
	}
	return sum
}
`

// copyOf is a bug or its test with names of their own.
func copyOf(text string, i int) string {
	return regexp.MustCompile(`[hH]ocketBench(Account)?\b`).ReplaceAllString(text, fmt.Sprintf("${0}%d", i))
}

// find makes the findings that are shown.
func (p *prepared) find(b *testing.B) {
	cmd := exec.Command(p.hocket, "find", "-budget", "10m", "-schedules", "200", "-run", "^TestHocketBench[0-9]*$", "-json", ".")
	cmd.Dir = p.dir
	out, err := cmd.Output()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 1 {
		b.Fatalf("hocket find: %v\n%s", err, out)
	}
	var rep struct{ Findings []struct{ ID string } }
	check(b, json.Unmarshal(out, &rep))
	b.Logf("%d findings", len(rep.Findings))
}

// memory is the highest use so far of a process, and what its children use now,
// in bytes.
func memory(pid int) int64 {
	total := status(pid, "VmHWM:")
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, f := range tasks {
		data, _ := os.ReadFile(f)
		for _, child := range strings.Fields(string(data)) {
			if n, err := strconv.Atoi(child); err == nil {
				total += memory(n)
			}
		}
	}
	return total
}

func status(pid int, key string) int64 {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, key); ok {
			kb, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kb << 10
		}
	}
	return 0
}

func must(b *testing.B, dir, name string, args ...string) []byte {
	b.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("%s: %v", cmd, err)
	}
	return out
}

func check(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
