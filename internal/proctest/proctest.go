// Package proctest lets tests look at processes that are not their children. It
// reads /proc, so it works on Linux only.
package proctest

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// ParentOf is the process id of a process's parent.
func ParentOf(t testing.TB, pid int) int {
	t.Helper()
	fields, err := stat(pid)
	if err != nil {
		t.Fatal(err)
	}
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		t.Fatal(err)
	}
	return parent
}

// Running is false of processes that have ended, waited for or not.
func Running(pid int) bool {
	fields, err := stat(pid)
	return err == nil && fields[0] != "Z"
}

// Gone waits for the end of a process, which takes its time after a kill, and
// fails the test if it does not come.
func Gone(t testing.TB, what string, pid int) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); Running(pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s (process %d) is still there", what, pid)
		}
	}
}

// stat is what follows the name in /proc/PID/stat: state, parent, ...
func stat(pid int) ([]string, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 2 {
		return nil, fmt.Errorf("/proc/%d/stat is %q", pid, data)
	}
	return fields, nil
}
