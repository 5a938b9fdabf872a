package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/budget"
	"github.com/hocket-dev/hocket/engine/solve/gen"
)

// job is one system for one solver.
type job struct {
	Shape   gen.Shape
	Trace   string // instead of a shape: a recorded run
	Ordered bool   // the recorded order of what synchronises is given
	Solver  string
	Timeout time.Duration
	Memory  int64 // MB
}

// measured is what became of a job.
type measured struct {
	job
	Events int
	Goals  []asked
	Error  string  // of the session: no goal could be asked
	RSS    float64 // most memory, MB, with the system itself
	Base   float64 // memory before the solver was made, MB
	Cancel float64 // ms that the check of a goal went on after its time was up; -1: it had ended before
}

// asked is one goal.
type asked struct {
	Name   string
	Status string
	Reason string
	MS     float64
	Wrong  string // what is wrong with the answer
}

// startChild runs a job in a process of its own.
func startChild(ctx context.Context, j job) measured {
	m := measured{job: j, Events: j.Shape.Events, Cancel: -1}
	self, err := os.Executable()
	text, _ := json.Marshal(j)
	if err != nil {
		m.Error = err.Error()
		return m
	}
	cmd := exec.CommandContext(ctx, self, "-child", string(text))
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	if err == nil {
		err = json.Unmarshal(out.Bytes(), &m)
	}
	if err != nil {
		first, _, _ := strings.Cut(errs.String(), "\n")
		m.Error = strings.TrimSpace(fmt.Sprintf("%v %s", err, first))
	}
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		m.RSS = float64(u.Maxrss) / 1024
		if runtime.GOOS == "darwin" {
			m.RSS /= 1024 // bytes there
		}
	}
	return m
}

// runChild does a job and prints what became of it.
func runChild(text string) int {
	var m measured
	if err := json.Unmarshal([]byte(text), &m.job); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	m.Cancel = -1
	debug.SetMemoryLimit(m.Memory << 20)
	m.run()
	if err := json.NewEncoder(os.Stdout).Encode(m); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// systemTimeouts are what the goals of a system may take together, in timeouts
// of one; goals that are left count as not decided.
const systemTimeouts = 3

func (m *measured) run() {
	sys, goals, err := m.system()
	if err != nil {
		m.Error = err.Error()
		return
	}
	m.Events = len(sys.Events)
	solver, err := solverNamed(m.Solver)
	if err != nil {
		m.Error = err.Error()
		return
	}
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	m.Base = float64(mem.Sys) / (1 << 20)
	start := processorTime()
	for _, g := range goals {
		if processorTime()-start > systemTimeouts*m.Timeout {
			m.Goals = append(m.Goals, asked{Name: g.Name, Status: solve.Unknown.String(), Reason: "not asked"})
			continue
		}
		a, err := m.ask(solver, sys, g)
		if err != nil {
			m.Error = err.Error()
			return
		}
		m.Goals = append(m.Goals, a)
	}
	m.cancelled(solver, sys, goals)
}

// goal with its known answer.
type goal struct {
	constraint.Goal
	known     bool // the answer is
	reachable bool
}

// ask measures one goal, with a session of its own.
func (m *measured) ask(solver solve.Solver, sys *constraint.System, g goal) (asked, error) {
	ctx, cancel := processorTimeout(m.Timeout)
	defer cancel()
	start := processorTime()
	s, err := solver.New(sys)
	if err != nil {
		return asked{}, err
	}
	defer s.Close()
	if m.Ordered {
		s.Add(sys.SyncOrder()...)
	}
	r, err := s.Check(budget.Unlimited(ctx), g.Goal)
	a := asked{Name: g.Name, MS: ms(processorTime() - start), Status: r.Status.String(), Reason: r.Reason}
	switch {
	case err != nil:
		a.Wrong = err.Error()
	case r.Status == solve.Sat:
		var clauses []constraint.Clause
		if m.Ordered {
			clauses = sys.SyncOrder()
		}
		_, a.Wrong = solve.Accept(sys, r.Schedule.Order, g.Goal, clauses)
	}
	if a.Wrong == "" && g.known && r.Status != solve.Unknown && (r.Status == solve.Sat) != g.reachable {
		a.Wrong = fmt.Sprintf("%v, but reachable is %v", r.Status, g.reachable)
	}
	return a, nil
}

// cancelled looks how long a check goes on that is cancelled in the middle of
// the goal that took longest.
func (m *measured) cancelled(solver solve.Solver, sys *constraint.System, goals []goal) {
	longest := 0
	for i := range m.Goals {
		if m.Goals[i].MS > m.Goals[longest].MS {
			longest = i
		}
	}
	if len(goals) == 0 || m.Goals[longest].MS < 4 {
		return
	}
	s, err := solver.New(sys)
	if err != nil {
		return
	}
	defer s.Close()
	if m.Ordered {
		s.Add(sys.SyncOrder()...)
	}
	ctx, cancel := context.WithCancel(context.Background())
	after := time.Duration(min(m.Goals[longest].MS/2, 500) * float64(time.Millisecond))
	var at time.Time
	timer := time.AfterFunc(after, func() { at = time.Now(); cancel() })
	r, err := s.Check(budget.Unlimited(ctx), goals[longest].Goal)
	end := time.Now()
	if timer.Stop(); ctx.Err() != nil && (err != nil && errors.Is(err, context.Canceled) || r.Status == solve.Unknown) {
		m.Cancel = ms(end.Sub(at))
	}
	cancel()
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
