package jobs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/internal/bug"
)

// The test binary is the child too: the variable says how it behaves.
const behaviour = "HOCKET_JOBS_CHILD"

func TestMain(m *testing.M) {
	if how := os.Getenv(behaviour); how != "" {
		children[how]()
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

var children = map[string]func(){
	"answers": func() {
		for i := range 3 {
			fmt.Fprintf(os.Stderr, `{"schedules":%d,"planned":3,"findings":1}`+"\n", i+1)
		}
		fmt.Fprintln(os.Stderr, "hocket: a note")
		fmt.Println(`{"id":"x"}`)
		os.Exit(1)
	},
	"patient": func() { // ends as a find does by Ctrl-C
		sig := make(chan os.Signal, 1)
		signal.Notify(sig, os.Interrupt)
		fmt.Fprintln(os.Stderr, `{"schedules":1}`)
		<-sig
		fmt.Println(`{"status":"cut-short"}`)
		os.Exit(3)
	},
	"eof": func() { // deaf for signals
		signal.Ignore(os.Interrupt)
		fmt.Fprintln(os.Stderr, `{"schedules":1}`)
		_, _ = os.Stdin.Read(make([]byte, 1))
		fmt.Println(`{"status":"eof"}`)
	},
	"stubborn": func() {
		signal.Ignore(os.Interrupt)
		grandchild()
		time.Sleep(time.Hour)
	},
	"orphan": func() { // its program outlives it and holds its pipes
		grandchild()
		fmt.Println(`{"id":"x"}`)
	},
	"killed": func() {
		grandchild()
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		time.Sleep(time.Hour)
	},
	"panics":  func() { go panic("broken\ninside"); time.Sleep(time.Hour) },
	"garbage": func() { fmt.Println("{not json") },
	"silent":  func() {},
	"usage":   func() { fmt.Fprintln(os.Stderr, "hocket: no package here; go elsewhere"); os.Exit(2) },
	"flood": func() {
		block := strings.Repeat("x", 1<<20)
		for range 40 {
			fmt.Print(block)
		}
	},
	"noise": func() {
		fmt.Fprintln(os.Stderr, strings.Repeat("y", 5<<20))
		for i := range 5000 {
			fmt.Fprintf(os.Stderr, "line %d\n", i)
		}
		fmt.Println("{}")
	},
}

// grandchild starts a program in a process group of its own, as runs are.
func grandchild() {
	cmd := exec.Command("sleep", "3600")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	fmt.Fprintf(os.Stderr, `{"schedules":1,"message":"pid %d"}`+"\n", cmd.Process.Pid)
}

func fake(how string) Job {
	// Children with race detector would sleep for a second before they end.
	env := append(os.Environ(), behaviour+"="+how, "GORACE=atexit_sleep_ms=0")
	return Job{Key: Key{Kind: "find", Entry: how}, Title: "hocket: find " + how,
		Prepare: func(context.Context) (Command, func(), error) {
			return Command{Path: os.Args[0], Env: env}, nil, nil
		}}
}

// patience is more than any of these takes on a busy machine.
func patience(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func closing(t *testing.T, q *Queue) {
	t.Cleanup(func() {
		if err := q.Close(patience(t)); err != nil {
			t.Error(err)
		}
	})
}

func submit(t *testing.T, q *Queue, j Job) *Handle {
	t.Helper()
	h, err := q.Submit(context.Background(), j)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// started waits for the job's first progress and returns the pid that the
// child told, if any.
func started(t *testing.T, h *Handle) (pid int) {
	t.Helper()
	ctx := patience(t)
	for {
		s, err := h.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = fmt.Sscanf(s.Update.Message, "pid %d", &pid)
		if s.Status.Ended() || s.Update.Schedules == 1 {
			return pid
		}
	}
}

func gone(t *testing.T, pid int) {
	t.Helper()
	if pid == 0 {
		t.Fatal("the child printed no pid")
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(data), ") Z ") {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("process %d is left: %s", pid, data)
		}
	}
}

func TestAnswer(t *testing.T) {
	q := New()
	closing(t, q)
	h := submit(t, q, fake("answers"))
	res, status, err := h.Wait(patience(t))
	if err != nil || status != Done || string(res.Output) != `{"id":"x"}` || res.Exit != 1 {
		t.Errorf("got %+v %s %v", res, status, err)
	}
	if len(res.Log) != 1 || res.Log[0] != "hocket: a note" {
		t.Errorf("log %q", res.Log)
	}
	s, err := h.Next(patience(t))
	if err != nil || s.Status != Done || s.Update.Schedules != 3 || s.Update.Planned != 3 || s.Update.Findings != 1 {
		t.Errorf("state %+v, %v", s, err)
	}
}

// TestBadChildren: each is an error of its own job, and the queue goes on.
func TestBadChildren(t *testing.T) {
	q := New()
	closing(t, q)
	for _, c := range []struct{ how, want string }{
		{"panics", "hocket: find panics: crashed (panic: broken"},
		{"killed", "ended by signal: killed"},
		{"garbage", "its answer is not JSON: {not json"},
		{"silent", "ended without an answer"},
		{"usage", "hocket: find usage: no package here; go elsewhere"},
		{"flood", "larger than 16 MiB"},
	} {
		bad, after := submit(t, q, fake(c.how)), submit(t, q, fake("answers"))
		_, status, err := bad.Wait(patience(t))
		if status != Failed || err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %s, %v; want one line with %q", c.how, status, err, c.want)
		}
		var f *Failure
		if !errors.As(err, &f) {
			t.Errorf("%s: %T", c.how, err)
		}
		if _, status, err = after.Wait(patience(t)); status != Done {
			t.Errorf("after %s: %s, %v", c.how, status, err)
		}
	}
}

func TestNothingToStart(t *testing.T) {
	q := New()
	closing(t, q)
	none := Job{Key: Key{Kind: "find"}, Title: "hocket: find", Prepare: func(context.Context) (Command, func(), error) {
		return Command{Path: "/nowhere/hocket"}, nil, nil
	}}
	if _, status, err := submit(t, q, none).Wait(patience(t)); status != Failed || !strings.Contains(fmt.Sprint(err), "can't be started") {
		t.Errorf("%s, %v", status, err)
	}
	bad := Job{Key: Key{Kind: "find"}, Prepare: func(context.Context) (Command, func(), error) { panic("mistake") }}
	bug.Tolerate(t)
	if _, status, err := submit(t, q, bad).Wait(patience(t)); status != Failed || !strings.Contains(fmt.Sprint(err), "running the job failed: internal error of Hocket; run \"hocket bug\"") {
		t.Errorf("%s, %v", status, err)
	}
	if got, err := bug.List(); len(got) != 1 || err != nil {
		t.Errorf("reports %+v, %v", got, err)
	}
	cleaned := false
	unready := Job{Key: Key{Kind: "find"}, Prepare: func(context.Context) (Command, func(), error) {
		return Command{}, func() { cleaned = true }, errors.New("no room")
	}}
	if _, status, err := submit(t, q, unready).Wait(patience(t)); status != Failed || fmt.Sprint(err) != "no room" || !cleaned {
		t.Errorf("%s, %v, cleaned %v", status, err, cleaned)
	}
}

func TestNoise(t *testing.T) {
	q := New()
	closing(t, q)
	res, status, err := submit(t, q, fake("noise")).Wait(patience(t))
	if status != Done || len(res.Log) != tailLines || res.Log[0] != "line 4980" || res.Log[19] != "line 4999" {
		t.Errorf("%+v %s %v", res, status, err)
	}
}

func TestCancel(t *testing.T) {
	for _, c := range []struct {
		how, want string
		atLeast   time.Duration
	}{
		{"patient", `{"status":"cut-short"}`, 0},
		{"eof", `{"status":"eof"}`, 0},
		{"stubborn", "", grace},
	} {
		t.Run(c.how, func(t *testing.T) {
			q := New()
			closing(t, q)
			h, waiting := submit(t, q, fake(c.how)), submit(t, q, fake("answers"))
			pid := started(t, h)
			start := time.Now()
			h.Cancel()
			res, status, err := h.Wait(patience(t))
			if status != Cancelled || err != nil || string(res.Output) != c.want {
				t.Errorf("%+v %s %v", res, status, err)
			}
			if d := time.Since(start); d < c.atLeast {
				t.Errorf("ended after %v, before its time", d)
			}
			if c.how == "stubborn" {
				gone(t, pid)
			}
			if _, status, err := waiting.Wait(patience(t)); status != Done {
				t.Errorf("the next job: %s, %v", status, err)
			}
		})
	}
}

func TestOrphansAreSwept(t *testing.T) {
	q := New()
	closing(t, q)
	for _, how := range []string{"orphan", "killed"} {
		h := submit(t, q, fake(how))
		pid := started(t, h)
		if _, status, err := h.Wait(patience(t)); (status == Done) != (how == "orphan") {
			t.Errorf("%s: %s, %v", how, status, err)
		}
		gone(t, pid)
	}
}

func TestHungChild(t *testing.T) {
	q := New()
	closing(t, q)
	j := fake("stubborn")
	j.Limit = 50 * time.Millisecond
	h := submit(t, q, j)
	if _, status, err := h.Wait(patience(t)); status != Failed || !strings.Contains(fmt.Sprint(err), "did not end within 50ms") {
		t.Errorf("%s, %v", status, err)
	}
}

func TestClose(t *testing.T) {
	q := New()
	running, queued := submit(t, q, fake("patient")), submit(t, q, fake("answers"))
	started(t, running)
	if err := q.Close(patience(t)); err != nil {
		t.Fatal(err)
	}
	for _, h := range []*Handle{running, queued} {
		if _, status, err := h.Wait(patience(t)); status != Cancelled {
			t.Errorf("%s: %s, %v", h.ID(), status, err)
		}
	}
	if _, err := q.Submit(context.Background(), fake("answers")); !errors.Is(err, ErrClosed) {
		t.Errorf("submitted after Close: %v", err)
	}
	if n := len(q.Snapshot()); n != 0 {
		t.Errorf("%d jobs are left", n)
	}
}

func TestJournal(t *testing.T) {
	var seen []engine.Update
	l := newJournal(func(u engine.Update) { seen = append(seen, u) })
	for _, part := range []string{"a\n{\"sche", "dules\":5}\n\n{\"sche", "dules\":\n", "{\"message\":\"found it\"}\r\nend"} {
		if n, err := l.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	l.close()
	if len(seen) != 2 || seen[0].Schedules != 5 || seen[1].Message != "found it" {
		t.Errorf("updates %+v", seen)
	}
	if got := strings.Join(l.tail, "|"); got != `a|{"schedules":|found it|end` {
		t.Errorf("log %s", got)
	}
}
