package process_test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
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

// Handlers that race are found as such, as are answers that depend on which
// request comes first; and equal schedules give equal runs, of a hundred requests.
func TestNetworkBugs(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module handlers\n\ngo 1.26\n", "handlers_test.go": handlers} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	bin, err := instrument.NewBuilder(t.TempDir()).Control(t.Context(), instrument.Target{Dir: dir, ImportPath: "handlers", Test: true})
	if err != nil {
		t.Fatal(err)
	}
	for entry, want := range map[string][]trace.OutcomeKind{
		"TestLostUpdate": {trace.Passed, trace.TestFailed},
		"TestMap":        {trace.Passed, trace.Raced}, // it passes if both are on one connection
		"TestHang":       {trace.Passed, trace.Deadlocked},
		"TestRequests":   {trace.Passed},
	} {
		t.Run(entry, func(t *testing.T) {
			mine := *bin
			mine.Target.Entry = entry
			p, err := process.New(&mine, site.NewIndex(bin.Path))
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			got := map[trace.OutcomeKind]int{}
			hashes := map[uint64]bool{}
			for i := range uint64(60) {
				seed := i
				if entry == "TestRequests" {
					seed = i / 20
				}
				r, err := p.Run(t.Context(), run.Spec{Strategy: run.Random, Seed: seed, Timeout: time.Minute})
				if err != nil {
					t.Fatal(err)
				}
				got[r.Outcome.Kind]++
				hashes[r.Hash] = true
				if r.Outside != "" {
					t.Fatal(r.Outside)
				}
			}
			for _, kind := range want {
				if got[kind] == 0 {
					t.Errorf("no run is %s: %v", kind, got)
				}
			}
			if len(got) != len(want) {
				t.Errorf("outcomes %v, want %v", got, want)
			}
			if entry == "TestRequests" && len(hashes) != 3 {
				t.Errorf("3 schedules, 20 times each, gave %d runs", len(hashes))
			}
		})
	}
}

const handlers = `package handlers

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
)

func requests(t *testing.T, h http.HandlerFunc) {
	s := httptest.NewServer(h)
	defer s.Close()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			r, err := http.Get(s.URL)
			if err != nil {
				t.Error(err)
				return
			}
			io.Copy(io.Discard, r.Body)
			r.Body.Close()
		})
	}
	wg.Wait()
}

func TestLostUpdate(t *testing.T) {
	var count atomic.Int64
	requests(t, func(http.ResponseWriter, *http.Request) { count.Store(count.Load() + 1) })
	if n := count.Load(); n != 2 {
		t.Fatalf("count is %d", n)
	}
}

func TestMap(t *testing.T) {
	seen := map[string]int{}
	requests(t, func(_ http.ResponseWriter, r *http.Request) { seen[r.RemoteAddr]++ })
}

// The server waits for the client to speak if that is not ready yet.
func TestHang(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ready := make(chan bool, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		select {
		case <-ready:
			fmt.Fprintln(c, "welcome")
		default:
		}
		bufio.NewReader(c).ReadString('\n')
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	ready <- true
	bufio.NewReader(c).ReadString('\n')
	fmt.Fprintln(c, "bye")
}

func TestRequests(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.URL.Path) }))
	defer s.Close()
	for i := range 100 {
		path := fmt.Sprint("/", i)
		r, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		r.Body.Close()
		if string(text) != path {
			t.Fatal(string(text), err)
		}
	}
}
`

// closed closes its listener, lets somebody else have its port, and dials it.
const closed = `package main

import (
	"net"
	"os"
	"strconv"
)

func main() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	addr := l.Addr().(*net.TCPAddr)
	l.Close()
	if err := os.WriteFile(os.Args[1], []byte(strconv.Itoa(addr.Port)), 0o666); err != nil {
		panic(err)
	}
	if _, err := os.ReadFile(os.Args[2]); err != nil {
		panic(err)
	}
	if _, err := net.Dial("tcp", addr.String()); err == nil {
		panic("somebody else took the call")
	}
}
`

// Runs at a time get the same port numbers, one after the other has closed them. What
// one of them dials, another does not answer.
func TestPortOfAClosedListener(t *testing.T) {
	dir := t.TempDir()
	ours, theirs := filepath.Join(dir, "closed"), filepath.Join(dir, "taken")
	for _, name := range []string{ours, theirs} {
		if err := syscall.Mkfifo(name, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"go.mod": "module closed\n\ngo 1.26\n", "main.go": closed} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	bin, err := instrument.NewBuilder(t.TempDir()).Control(t.Context(), instrument.Target{Dir: dir, ImportPath: "closed", Entry: "main"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := process.New(bin, site.NewIndex(bin.Path))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	go func() { // the other run
		port, err := os.ReadFile(ours)
		if err != nil {
			t.Error(err)
		}
		l, err := net.Listen("tcp", "127.0.0.1:"+string(port))
		if err != nil {
			t.Error(err)
		} else {
			t.Cleanup(func() { l.Close() })
		}
		if err := os.WriteFile(theirs, nil, 0); err != nil {
			t.Error(err)
		}
	}()
	r, err := p.Run(t.Context(), run.Spec{Args: []string{ours, theirs}, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if r.Outcome.Kind != trace.Passed {
		t.Error(describe(r))
	}
}
