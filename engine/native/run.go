package native

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/breakpoints"
	"github.com/hocket-dev/hocket/internal/process"
)

const (
	leakLinger = 50 * time.Millisecond // after the plan is played, before checking which goroutines are left
	settle     = time.Second           // after this time a process that has played its plan and not ended is asked for its goroutines
	dumpTime   = 3 * time.Second       // for writing that dump
	lookEvery  = 20 * time.Millisecond
	earlyIdle  = 250 * time.Millisecond  // without using the processor: a process that looks deadlocked
	idleTime   = 1500 * time.Millisecond // without using the processor: a process that may be deadlocked is asked, too
)

// attempt is what one process did.
type attempt struct {
	exit     int
	took     time.Duration
	output   string // stdout and stderr
	report   breakpoints.Report
	busy     bool // used the processor to its end
	quit     bool // did not end by itself; output has a dump of all goroutines
	early    bool // and that was soon after it had stopped to do anything
	timedOut bool // not even after its plan was given up
}

func (r *attempt) describe() string {
	state := "plan not fully played: " + r.report.Broken
	if r.report.Played {
		state = "plan played"
	}
	return fmt.Sprintf("%s; exit %d; arrived %s", state, r.exit, strings.Join(r.report.Arrived, " "))
}

// run runs one process. One that does nothing is taken to hang after a short time; if
// it turns out that it may have gone on, it is run again, with more time.
func (p *program) run(ctx context.Context, i int, w *way) (*attempt, error) {
	if p.hasty.Load() < maxHasty {
		r, err := p.once(ctx, i, w, false)
		if err != nil || !r.early || p.judge.same(r) && !canGoOn(r.output) {
			return r, err
		}
		p.hasty.Add(1)
	}
	return p.once(ctx, i, w, true)
}

// maxHasty is how often a process may be taken for one that hangs wrongly, before all
// have more time.
const maxHasty = 3

// once runs one process.
func (p *program) once(ctx context.Context, i int, w *way, slow bool) (*attempt, error) {
	reportName := filepath.Join(p.dir, fmt.Sprintf("run%d.report", i))
	defer os.Remove(reportName)
	cmd := exec.Command(p.bin(w.plan != nil), p.req.Target.RunArgs()...)
	cmd.Dir = p.req.Target.Dir
	cmd.Env = p.req.Target.Environ("GOTRACEBACK=all")
	if w.plan != nil {
		cmd.Env = append(cmd.Env, breakpoints.EnvPlan+"="+w.plan.Steps.String(), breakpoints.EnvReport+"="+reportName)
	}
	if w.OneProcessor {
		cmd.Env = append(cmd.Env, "GOMAXPROCS=1")
	}
	out := &process.Tail{}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = dumpTime // a grandchild may keep the output open
	proc, err := process.Start(ctx, cmd)
	if err != nil {
		return nil, fmt.Errorf("start the program: %w", err)
	}
	done := make(chan error, 1)
	go func() { done <- proc.Wait() }()
	r := &attempt{}
	start := time.Now()
	err = p.supervise(ctx, proc, cmd.Process.Pid, done, reportName, r, w.plan, slow)
	r.took = time.Since(start)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		r.exit = exit.ExitCode()
	} else if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, fmt.Errorf("run the program: %w", err)
	}
	r.output = out.String()
	for folder, origin := range p.moved {
		r.output = strings.ReplaceAll(r.output, folder, origin)
	}
	r.report, err = breakpoints.ReadReport(reportName)
	return r, err
}

// supervise waits for the process to end. One that hangs after its plan has been
// played, or for too long, or that does nothing where a deadlock is looked for,
// is asked for its goroutines, then killed.
func (p *program) supervise(ctx context.Context, proc *process.Process, pid int, done <-chan error, reportName string, r *attempt, plan *Plan, slow bool) error {
	timeout := cmp.Or(p.req.Timeout, 10*time.Second)
	start, played, settle, idleTime := time.Now(), time.Time{}, settle, idleTime
	if slow { // who sleeps, say, may go on
		settle, idleTime = settle+plan.lateness(), idleTime+plan.lateness()
	}
	idle := idleness{pid: pid, last: start}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			proc.Kill()
			<-done
			return nil
		case now := <-tick.C:
			if played.IsZero() && reportSays(reportName, "played\n") {
				played = now
			}
			still := idle.since(now)
			r.timedOut = now.Sub(start) > timeout
			r.early = !slow && p.judge.hangs() && still > earlyIdle
			if r.timedOut || r.early || !played.IsZero() && now.Sub(played) > settle && !p.judge.loops() || p.judge.hangs() && still > idleTime {
				r.quit, r.busy = true, still < settle && !r.early
				return askAndKill(ctx, proc, done)
			}
		}
	}
}

func reportSays(name, line string) bool {
	data, err := os.ReadFile(name)
	return err == nil && bytes.Contains(data, []byte(line))
}

// askAndKill makes the runtime write all goroutines' stacks.
func askAndKill(ctx context.Context, proc *process.Process, done <-chan error) error {
	proc.Dump()
	patience := time.NewTimer(dumpTime)
	defer patience.Stop()
	select {
	case err := <-done:
		return err
	case <-patience.C:
	case <-ctx.Done():
	}
	proc.Kill()
	return <-done
}
