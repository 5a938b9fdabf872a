package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/hocket-dev/hocket/bench/harness"
)

// made is the output of a run that failed, and how often its state was seen.
type made struct {
	text     []byte
	kind     string
	seen, of int
}

const (
	mostOutput = 8 << 20
	hangs      = 2 * time.Second // after that a main function is asked for a dump, and a test times out
)

// artefacts runs the copies with pauses, the one with -race too, and returns what they
// left: the rarest state first.
func (p *program) artefacts(ctx context.Context, o options, dir string) ([]made, error) {
	if _, err := os.Stat(dir); err != nil { // the programs of a suite share theirs
		if err := os.CopyFS(dir, os.DirFS(p.dir)); err != nil {
			return nil, err
		}
		if err := pausing(dir); err != nil {
			return nil, err
		}
	}
	byState := map[string]*made{}
	total := 0
	for _, race := range []bool{false, true} {
		bin, err := p.build(ctx, dir, race)
		if err != nil {
			return nil, err
		}
		var mu sync.Mutex
		var wg sync.WaitGroup
		next := make(chan struct{}, o.runs)
		for range o.runs {
			next <- struct{}{}
		}
		close(next)
		for range 4 * runtime.GOMAXPROCS(0) {
			wg.Go(func() {
				for range next {
					if ctx.Err() != nil {
						return
					}
					text := p.run(ctx, dir, bin)
					state, kind := harness.StateOf(text)
					if passing(text) {
						state = ""
					}
					mu.Lock()
					total++
					if m := byState[state]; m != nil {
						m.seen++
					} else if state != "" {
						byState[state] = &made{text: text, kind: kind, seen: 1}
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
	}
	all := []made{}
	for _, k := range slices.Sorted(maps.Keys(byState)) {
		byState[k].of = total
		all = append(all, *byState[k])
	}
	slices.SortStableFunc(all, func(a, b made) int { return cmp.Compare(a.seen, b.seen) })
	return all, ctx.Err()
}

func (p *program) build(ctx context.Context, dir string, race bool) (string, error) {
	bin := filepath.Join(dir, fmt.Sprintf("hocket-artefact-%v", race))
	if _, err := os.Stat(bin); err == nil {
		return bin, nil
	}
	args := []string{"build"}
	if p.test != "" {
		args = []string{"test", "-c"}
	}
	if race {
		args = append(args, "-race")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "-o", bin, ".")...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, bytes.TrimSpace(out))
	}
	return bin, nil
}

// run returns what one run printed. A program that hangs is sent SIGQUIT, as people do.
func (p *program) run(ctx context.Context, dir, bin string) []byte {
	args := p.args
	if p.test != "" {
		args = append([]string{"-test.run=^" + p.test + "$", "-test.timeout=" + hangs.String()}, args...)
	}
	cmd := exec.Command(bin, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOTRACEBACK=all")
	out := &limited{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return nil
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case <-done:
	case <-ctx.Done():
		_ = cmd.Process.Kill()
		<-done
	case <-time.After(hangs + time.Second):
		_ = cmd.Process.Signal(syscall.SIGQUIT)
		select {
		case <-done:
		case <-time.After(2 * time.Second):
			_ = cmd.Process.Kill()
			<-done
		}
	}
	return out.b.Bytes()
}

// passing is true of dumps of a program that was about to go on: somebody paused.
func passing(text []byte) bool {
	return bytes.Contains(text, []byte("hocketPause(")) && !bytes.Contains(text, []byte("panic: ")) || bytes.Contains(text, []byte("panic: test timed out")) && bytes.Contains(text, []byte("hocketPause("))
}

// limited keeps the beginning of what is written to it.
type limited struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *limited) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if room := mostOutput - l.b.Len(); room > 0 {
		l.b.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
