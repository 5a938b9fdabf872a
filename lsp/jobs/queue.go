package jobs

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/internal/bug"
)

// Key says what a job is for: jobs of equal keys are the same work.
type Key struct {
	Kind   string // "find", "replay", ...
	Dir    string // folder it runs in
	Entry  string // "" for all entries of the folder
	Detail string // what else identifies it for users, such as a pattern

	// Options is equal for equal options, environments and texts.
	Options string
}

// Job is work to be done.
type Job struct {
	Key   Key
	Title string // for users: "hocket: find TestX"
	// Prepare says what to run. It is called when the job's turn comes, and
	// its cleanup, if any, when the process is gone.
	Prepare func(ctx context.Context) (cmd Command, cleanup func(), err error)
	// Limit is the time after which the child is considered hung; 0: none.
	Limit time.Duration
}

// Status of a job.
type Status string

const (
	Queued    Status = "queued"
	Running   Status = "running"
	Done      Status = "done" // there is an answer
	Failed    Status = "failed"
	Cancelled Status = "cancelled" // perhaps with the answer so far
)

// Ended is true when nothing changes any more.
func (s Status) Ended() bool { return s == Done || s == Failed || s == Cancelled }

// State is a job at one moment.
type State struct {
	ID      string // unique in this queue
	Key     Key
	Title   string
	Status  Status
	Ahead   int           // jobs that come before it
	Update  engine.Update // the newest of the child, zero before the first
	Started time.Time     // zero while queued
}

// runner does a job; tests of the queue have others than processes. It returns
// soon after ctx is done.
type runner func(ctx context.Context, j *Job, progress func(engine.Update)) (*Result, error)

// ErrClosed is the answer to jobs submitted after Close.
var ErrClosed = errors.New("the server is shutting down; no job can be started")

// Queue holds the jobs that have not ended. The zero Queue is not usable.
type Queue struct {
	run  runner
	name string // what the ids of its jobs begin with

	mu      sync.Mutex
	jobs    []*job // in order; only the first may be running
	busy    bool   // the worker is there
	closed  bool
	ids     int
	changed chan struct{} // closed at the next change of what is in the queue
	worker  sync.WaitGroup
}

// job is an entry of the queue; the queue's mutex guards it.
type job struct {
	Job
	state   State
	refs    int           // handles that hold it
	changed chan struct{} // closed at the next change of state
	cancel  context.CancelFunc
	ctx     context.Context
	release []func() bool // of the watches on the requests' contexts
	result  *Result
	err     error
}

// New is an empty queue whose jobs are child processes.
func New() *Queue { return newQueue(runChild) }

// Named is a queue beside others: the ids of its jobs begin with the name.
func Named(name string) *Queue {
	q := New()
	q.name = name
	return q
}

func newQueue(run runner) *Queue {
	return &Queue{run: run, name: "job", changed: make(chan struct{})}
}

// Submit enters a job, or joins the one of equal key that has not ended. The
// handle is cancelled when ctx ends.
func (q *Queue) Submit(ctx context.Context, spec Job) (*Handle, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil, ErrClosed
	}
	j := q.find(spec.Key)
	if j == nil {
		j = q.enter(spec)
	}
	j.refs++
	h := &Handle{q: q, job: j, id: j.state.ID}
	j.release = append(j.release, context.AfterFunc(ctx, h.Cancel))
	return h, nil
}

// find returns the job of a key that is not being cancelled.
func (q *Queue) find(k Key) *job {
	for _, j := range q.jobs {
		if j.Key == k && j.ctx.Err() == nil {
			return j
		}
	}
	return nil
}

func (q *Queue) enter(spec Job) *job {
	q.ids++
	j := &job{Job: spec, changed: make(chan struct{})}
	j.state = State{ID: fmt.Sprintf("%s-%d", q.name, q.ids), Key: spec.Key, Title: spec.Title, Status: Queued, Ahead: len(q.jobs)}
	j.ctx, j.cancel = context.WithCancel(context.Background())
	q.jobs = append(q.jobs, j)
	q.tell()
	if !q.busy {
		q.busy = true
		q.worker.Add(1)
		go q.work()
	}
	return j
}

// work runs the jobs in turn until there is none.
func (q *Queue) work() {
	defer q.worker.Done()
	for {
		j := q.next()
		if j == nil {
			return
		}
		res, err := q.do(j)
		q.finish(j, res, err)
	}
}

// do runs one job. A panic, which is a bug of Hocket, ends this
// job only.
func (q *Queue) do(j *job) (res *Result, err error) {
	defer func() {
		if r := recover(); r != nil {
			stack := strings.Split(string(debug.Stack()), "\n")
			res, err = nil, &Failure{Title: j.Title, What: bug.Recovered(r, "running the job").Error(), Log: stack}
		}
	}()
	return q.run(j.ctx, &j.Job, func(u engine.Update) { q.progress(j, u) })
}

func (q *Queue) next() *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.jobs) == 0 {
		q.busy = false
		return nil
	}
	j := q.jobs[0]
	j.state.Status, j.state.Started = Running, time.Now()
	q.tell()
	j.tell()
	return j
}

func (q *Queue) progress(j *job, u engine.Update) {
	q.mu.Lock()
	defer q.mu.Unlock()
	j.state.Update = u
	j.tell()
}

func (q *Queue) finish(j *job, res *Result, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	status := Done
	switch {
	case j.ctx.Err() != nil:
		status, err = Cancelled, nil
		if res == nil {
			res = &Result{}
		}
	case err != nil:
		status = Failed
	}
	q.end(j, status, res, err)
}

// end takes a job out of the queue with its outcome.
func (q *Queue) end(j *job, status Status, res *Result, err error) {
	j.cancel()
	for _, release := range j.release {
		release()
	}
	j.result, j.err = res, err
	j.state.Status, j.state.Ahead = status, 0
	j.tell()
	kept := q.jobs[:0:0]
	for _, other := range q.jobs {
		if other == j {
			continue
		}
		if other.state.Ahead != len(kept) {
			other.state.Ahead = len(kept)
			other.tell()
		}
		kept = append(kept, other)
	}
	q.jobs = kept
	q.tell()
}

// Snapshot is the jobs that have not ended, in the order in which they run.
func (q *Queue) Snapshot() []State {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.snapshot()
}

func (q *Queue) snapshot() []State {
	states := make([]State, len(q.jobs))
	for i, j := range q.jobs {
		states[i] = j.state
	}
	return states
}

// Watch calls f with the jobs now and after each job that comes, starts or
// ends, until ctx ends; it blocks. Changes that follow each other faster than
// f returns are seen as one. Progress is no change here: see Handle.Next.
func (q *Queue) Watch(ctx context.Context, f func([]State)) {
	for ctx.Err() == nil {
		q.mu.Lock()
		states, changed := q.snapshot(), q.changed
		q.mu.Unlock()
		f(states)
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// Cancel ends the job of an id for all who wait for it, "" all jobs, and
// returns how many that were. The answer of a running one is awaited by its
// handles as before.
func (q *Queue) Cancel(id string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := 0
	for _, j := range q.jobs {
		if (id == "" || j.state.ID == id) && j.ctx.Err() == nil {
			n++
			q.stop(j)
		}
	}
	return n
}

// stop cancels a job: a queued one has ended when it returns.
func (q *Queue) stop(j *job) {
	j.cancel()
	if j.state.Status == Queued {
		q.end(j, Cancelled, &Result{}, nil)
	}
}

// Close cancels all jobs, refuses new ones, and returns when the running one is
// gone, or with an error when ctx ends before that.
func (q *Queue) Close(ctx context.Context) error {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.Cancel("")
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		q.worker.Wait()
	}()
	select {
	case <-gone:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("a job did not end in time: %w", ctx.Err())
	}
}

// tell wakes those who watch the queue, and (*job).tell those who wait for the
// job; the mutex is held.
func (q *Queue) tell() {
	close(q.changed)
	q.changed = make(chan struct{})
}

func (j *job) tell() {
	close(j.changed)
	j.changed = make(chan struct{})
}
