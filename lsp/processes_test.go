package lsp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/lsp/lsptest"
)

// processesIn lists the processes whose folder is root or below, with their
// command lines. Children and the programs that they run all are.
func processesIn(root string) (out []string) {
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, l := range links {
		dir, err := os.Readlink(l)
		if err != nil || !strings.HasPrefix(dir, root) {
			continue
		}
		cmdline, _ := os.ReadFile(filepath.Join(filepath.Dir(l), "cmdline"))
		out = append(out, filepath.Base(filepath.Dir(l))+" "+strings.ReplaceAll(string(cmdline), "\x00", " "))
	}
	return out
}

// idle fails the test if processes stay in root for longer than d.
func idle(t *testing.T, root string, d time.Duration) {
	t.Helper()
	for end := time.Now().Add(d); ; time.Sleep(10 * time.Millisecond) {
		left := processesIn(root)
		if len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("still running after %v:\n%s", d, strings.Join(left, "\n"))
		}
	}
}

// untilRuns waits until the user's program itself runs under a job.
func untilRuns(t *testing.T, root string) {
	t.Helper()
	for end := time.Now().Add(lsptest.Limit); ; time.Sleep(5 * time.Millisecond) {
		if slices.ContainsFunc(processesIn(root), func(p string) bool { return strings.Contains(p, "-test.run") }) {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the user's program was never started")
		}
	}
}

// childOf is the only child of a process.
func childOf(t *testing.T, parent int) int {
	t.Helper()
	var children []int
	for pid, f := range processes() {
		if f.parent == parent {
			children = append(children, pid)
		}
	}
	if len(children) != 1 {
		t.Fatalf("the server has the children %v, want one", children)
	}
	return children[0]
}

// sessionOf lists the processes of the session that a job leads, those included
// whose parents are gone.
func sessionOf(leader int) (pids []int) {
	for pid, f := range processes() {
		if f.session == leader {
			pids = append(pids, pid)
		}
	}
	return pids
}

type process struct{ parent, session int }

// processes are all that run, by id.
func processes() map[int]process {
	all := map[int]process{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // gone
		}
		var p process
		var pid, group int
		var state string
		_, after, _ := strings.Cut(string(data), ") ") // names of commands are in parentheses
		if n, _ := fmt.Sscan(after, &state, &p.parent, &group, &p.session); n != 4 || state == "Z" {
			continue
		}
		if _, err := fmt.Sscan(string(data), &pid); err == nil {
			all[pid] = p
		}
	}
	return all
}
