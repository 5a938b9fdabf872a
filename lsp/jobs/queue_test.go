package jobs

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/hocket-dev/hocket/engine"
)

// bench is a runner whose jobs end when told to.
type bench struct {
	running atomic.Int32
	most    atomic.Int32
	mu      sync.Mutex
	order   []string // titles, as they started
	gates   map[string]chan error
}

func newBench() *bench { return &bench{gates: map[string]chan error{}} }

func (b *bench) gate(title string) chan error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.gates[title] == nil {
		b.gates[title] = make(chan error, 1)
	}
	return b.gates[title]
}

func (b *bench) run(ctx context.Context, j *Job, progress func(engine.Update)) (*Result, error) {
	b.most.Store(max(b.most.Load(), b.running.Add(1)))
	defer b.running.Add(-1)
	b.mu.Lock()
	b.order = append(b.order, j.Title)
	b.mu.Unlock()
	progress(engine.Update{Schedules: 1})
	select {
	case err := <-b.gate(j.Title):
		return &Result{Output: []byte(`"` + j.Title + `"`)}, err
	case <-ctx.Done():
		return &Result{Output: []byte(`"partly"`)}, ctx.Err()
	}
}

func named(title string) Job { return Job{Key: Key{Kind: "find", Entry: title}, Title: title} }

// TestQueueProperties plays random submits, joins, cancels and endings, and
// compares with a plain list.
func TestQueueProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBench()
		q := newQueue(b.run)
		m := &model{T: t, b: b, q: q}
		m.Repeat(map[string]func(*rapid.T){
			"submit":       m.submit,
			"release":      m.release,
			"cancel job":   m.cancelJob,
			"end the head": m.endHead,
			"":             m.check,
		})
		m.finish()
	})
}

type model struct {
	*rapid.T
	b       *bench
	q       *Queue
	waiting []*entry // of the queue, in order
	all     []*entry
	started []string
	names   int
}

type entry struct {
	title   string
	handles []*Handle
	held    int
	want    Status
}

func (m *model) submit(t *rapid.T) {
	joins := len(m.waiting) > 0 && rapid.Bool().Draw(t, "join")
	var e *entry
	if joins {
		e = m.waiting[rapid.IntRange(0, len(m.waiting)-1).Draw(t, "which")]
	} else {
		m.names++
		e = &entry{title: fmt.Sprint("job", m.names)}
		m.waiting, m.all = append(m.waiting, e), append(m.all, e)
	}
	h, err := m.q.Submit(context.Background(), named(e.title))
	if err != nil {
		t.Fatal(err)
	}
	if joins && h.ID() != e.handles[0].ID() {
		t.Fatalf("%s did not join %s", h.ID(), e.handles[0].ID())
	}
	e.handles, e.held = append(e.handles, h), e.held+1
	m.headStarts(t)
}

// headStarts waits until the head of the queue runs, so that what comes next
// is decided.
func (m *model) headStarts(t *rapid.T) {
	if len(m.waiting) == 0 {
		return
	}
	head := m.waiting[0]
	if n := len(m.started); n == 0 || m.started[n-1] != head.title {
		m.started = append(m.started, head.title)
	}
	eventually(t, func() bool {
		s := m.q.Snapshot()
		return len(s) > 0 && s[0].Title == head.title && s[0].Update.Schedules == 1
	})
}

func (m *model) release(t *rapid.T) {
	if len(m.waiting) == 0 {
		t.Skip()
	}
	e := m.waiting[rapid.IntRange(0, len(m.waiting)-1).Draw(t, "which")]
	h := e.handles[len(e.handles)-e.held]
	h.Cancel()
	h.Cancel() // twice is once
	if e.held--; e.held == 0 {
		m.ended(t, e, Cancelled)
		return
	}
	if _, status, err := h.Wait(short(t)); status != Cancelled || err != nil {
		t.Fatalf("a request that released it: %s, %v", status, err)
	}
}

func (m *model) cancelJob(t *rapid.T) {
	if len(m.waiting) == 0 {
		t.Skip()
	}
	e := m.waiting[rapid.IntRange(0, len(m.waiting)-1).Draw(t, "which")]
	if n := m.q.Cancel(e.handles[0].ID()); n != 1 {
		t.Fatalf("cancelled %d jobs", n)
	}
	m.ended(t, e, Cancelled)
}

func (m *model) endHead(t *rapid.T) {
	if len(m.waiting) == 0 {
		t.Skip()
	}
	e, want, err := m.waiting[0], Done, error(nil)
	if rapid.Bool().Draw(t, "fails") {
		want, err = Failed, errors.New("broken")
	}
	m.b.gate(e.title) <- err
	m.ended(t, e, want)
}

// ended takes e out of the model and asks its last handle for the outcome.
func (m *model) ended(t *rapid.T, e *entry, want Status) {
	e.want = want
	_, status, err := e.handles[len(e.handles)-1].Wait(short(t))
	if status != want || (err != nil) != (want == Failed) {
		t.Fatalf("%s: %s, %v; want %s", e.title, status, err, want)
	}
	for i, w := range m.waiting {
		if w == e {
			m.waiting = append(m.waiting[:i:i], m.waiting[i+1:]...)
			break
		}
	}
	m.headStarts(t)
}

func (m *model) check(t *rapid.T) {
	states := m.q.Snapshot()
	if len(states) != len(m.waiting) {
		t.Fatalf("%d jobs in the queue, want %d", len(states), len(m.waiting))
	}
	for i, s := range states {
		status := Queued
		if i == 0 {
			status = Running
		}
		if s.Title != m.waiting[i].title || s.Ahead != i || s.Status != status {
			t.Fatalf("place %d: %+v, want %s", i, s, m.waiting[i].title)
		}
	}
	if n := m.b.most.Load(); n > 1 {
		t.Fatalf("%d jobs ran at once", n)
	}
}

// finish lets all end and looks for lost ones.
func (m *model) finish() {
	for len(m.waiting) > 0 {
		e := m.waiting[0]
		m.b.gate(e.title) <- nil
		m.ended(m.T, e, Done)
	}
	for _, e := range m.all {
		if _, status, _ := e.handles[0].Wait(short(m.T)); status != e.want && status != Cancelled {
			m.Fatalf("%s ended as %s, want %s", e.title, status, e.want)
		}
	}
	if fmt.Sprint(m.b.order) != fmt.Sprint(m.started) {
		m.Fatalf("ran %v, want %v", m.b.order, m.started)
	}
	if err := m.q.Close(short(m.T)); err != nil {
		m.Fatal(err)
	}
}

func short(t *rapid.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func eventually(t interface{ Fatal(...any) }, f func() bool) {
	for end := time.Now().Add(20 * time.Second); !f(); time.Sleep(100 * time.Microsecond) {
		if time.Now().After(end) {
			t.Fatal("it never came to be")
		}
	}
}

func TestRequestContextReleases(t *testing.T) {
	b := newBench()
	q := newQueue(b.run)
	closing(t, q)
	ctx, cancel := context.WithCancel(context.Background())
	h, err := q.Submit(ctx, named("a"))
	if err != nil {
		t.Fatal(err)
	}
	other := submit(t, q, named("a"))
	cancel()
	if _, status, err := h.Wait(patience(t)); status != Cancelled || err != nil {
		t.Errorf("%s, %v", status, err)
	}
	b.gate("a") <- nil
	if res, status, err := other.Wait(patience(t)); status != Done || string(res.Output) != `"a"` {
		t.Errorf("the one that joined: %+v %s %v", res, status, err)
	}
}

func TestCancelledJobIsNotJoined(t *testing.T) {
	release := make(chan struct{})
	q := newQueue(func(ctx context.Context, _ *Job, _ func(engine.Update)) (*Result, error) {
		<-ctx.Done()
		<-release
		return nil, ctx.Err()
	})
	closing(t, q)
	first := submit(t, q, named("a"))
	eventually(t, func() bool { return q.Snapshot()[0].Status == Running })
	first.Cancel()
	second := submit(t, q, named("a"))
	if first.ID() == second.ID() {
		t.Error("a request joined a job that is being cancelled")
	}
	close(release)
	if _, status, _ := first.Wait(patience(t)); status != Cancelled {
		t.Error(status)
	}
	if n := q.Cancel(""); n != 1 {
		t.Errorf("%d jobs cancelled", n)
	}
}

func TestWatch(t *testing.T) {
	b := newBench()
	q := newQueue(b.run)
	closing(t, q)
	ctx, cancel := context.WithCancel(context.Background())
	seen := make(chan []State, 100)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		q.Watch(ctx, func(s []State) { seen <- s })
	}()
	until := func(what string, f func([]State) bool) {
		t.Helper()
		for {
			select {
			case s := <-seen:
				if f(s) {
					return
				}
			case <-patience(t).Done():
				t.Fatal("never seen: " + what)
			}
		}
	}
	until("nothing", func(s []State) bool { return len(s) == 0 })
	submit(t, q, named("a"))
	until("running", func(s []State) bool { return len(s) == 1 && s[0].Status == Running })
	submit(t, q, named("b"))
	until("queued", func(s []State) bool { return len(s) == 2 && s[1].Status == Queued && s[1].Ahead == 1 })
	b.gate("a") <- nil
	until("moved up", func(s []State) bool { return len(s) == 1 && s[0].Title == "b" && s[0].Ahead == 0 })
	cancel()
	<-ended
}
