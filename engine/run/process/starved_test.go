package process_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/process"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/trace"
)

// reads says that it has begun, and reads a file that may be a pipe.
const reads = `package main

import "os"

func main() {
	if err := os.WriteFile(os.Args[1], nil, 0o666); err != nil {
		panic(err)
	}
	if _, err := os.ReadFile(os.Args[2]); err != nil {
		panic(err)
	}
}
`

// A run that is kept from running has not used its time; one that waits for something
// outside has.
func TestTimeLimit(t *testing.T) {
	if _, err := os.Stat("/proc/self/task"); err != nil {
		t.Skip("needs /proc")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module reads\n\ngo 1.26\n", "main.go": reads} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	bin, err := instrument.NewBuilder(t.TempDir()).Control(t.Context(), instrument.Target{Dir: dir, ImportPath: "reads", Entry: "main"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := process.New(bin, site.NewIndex(bin.Path))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	const limit = time.Second
	for _, stopped := range []bool{true, false} {
		begun, pipe := filepath.Join(dir, fmt.Sprint("begun", stopped)), filepath.Join(dir, fmt.Sprint("pipe", stopped))
		for _, name := range []string{begun, pipe} {
			if err := syscall.Mkfifo(name, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		stop := func() {
			if _, err := os.ReadFile(begun); err != nil {
				t.Error(err)
			}
			if !stopped {
				return
			}
			pid := processOf(t, bin.Path)
			if pid == 0 {
				return
			}
			syscall.Kill(pid, syscall.SIGSTOP)
			time.Sleep(limit + limit/2)
			syscall.Kill(pid, syscall.SIGCONT)
			if err := os.WriteFile(pipe, nil, 0); err != nil {
				t.Error(err)
			}
		}
		done := make(chan bool)
		go func() { defer close(done); stop() }()
		start := time.Now()
		r, err := p.Run(t.Context(), run.Spec{Args: []string{begun, pipe}, Timeout: limit})
		if err != nil {
			t.Fatal(err)
		}
		if r.Hang == stopped || stopped && r.Outcome.Kind != trace.Passed || !stopped && time.Since(start) > 3*limit {
			t.Errorf("stopped for a while %t: %s after %v", stopped, describe(r), time.Since(start))
		}
		if r.Hang && stopped { // nobody reads it
			go os.ReadFile(pipe)
		}
		<-done
	}
}

// processOf finds the process of an executable.
func processOf(t *testing.T, path string) int {
	links, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, link := range links {
		if exe, err := os.Readlink(link); err == nil && exe == path {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(link)))
			return pid
		}
	}
	t.Error("no process of " + path)
	return 0
}
