package hunt

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
)

// crew is the workers of a hunt, and what there is to do. Programs are built in the
// order of the jobs; meanwhile each worker takes, again and again, what is worth
// most: first a look at every target that is built, then the confirmations of
// what was found, on half of the workers, and slices of the searches.
//
// All programs under control share as many slots as there are processors, however
// many of them a task starts at once.
type crew struct {
	*Hunter
	ctx       context.Context // ends with the budget
	searching context.Context // ends a little earlier
	end       time.Time       // of searching
	slots     slots
	workers   int
	first     time.Time  // when the first target was looked at; used within Sink.Progress only
	active    []activity // the latest last; used within Sink.Progress only

	mu         sync.Mutex // guards what follows
	change     sync.Cond
	all        []*pipeline
	building   bool
	over       bool // no more searching
	waiting    []*confirmation
	leaders    map[string]*confirmation // by cause
	confirming int
}

// Bounds of the slices of a search.
const (
	lookAttempts  = 6
	lookTime      = 2 * time.Second
	leastLook     = 300 * time.Millisecond
	sliceAttempts = 100
	sliceTime     = time.Second
	aloneTime     = 5 * time.Second // of a search that is the last one
	slowRun       = time.Second
)

func newCrew(ctx context.Context, h *Hunter, jobs []*Job) (*crew, context.CancelFunc) {
	w := &crew{Hunter: h, ctx: ctx, slots: newSlots(run.Workers(0)), building: true,
		workers: max(2, runtime.GOMAXPROCS(0)), leaders: map[string]*confirmation{}}
	w.change.L = &w.mu
	w.end = h.deadline().Add(-min(search.Grace, h.Budget/20))
	var cancel context.CancelFunc
	w.searching, cancel = context.WithDeadline(ctx, w.end)
	for _, job := range jobs {
		w.all = append(w.all, &pipeline{crew: w, job: job})
	}
	return w, cancel
}

// run does all that there is to do, and returns when that is done or ctx has
// ended.
func (w *crew) run() {
	stop := context.AfterFunc(w.searching, w.wake)
	defer stop()
	late := time.AfterFunc(time.Until(w.reserved()), w.wake)
	defer late.Stop()
	var wg sync.WaitGroup
	wg.Go(w.build)
	for range w.workers {
		wg.Go(func() {
			for task := w.next(); task != nil; task = w.next() {
				task()
			}
		})
	}
	wg.Wait()
	for _, p := range w.all {
		p.close()
	}
}

func (w *crew) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.change.Broadcast()
}

// build builds the programs: the smallest first and alone, since what all have in common
// is compiled for it, then two at a time in the order of the jobs: a large one does not
// keep the others waiting.
func (w *crew) build() {
	next := make(chan []*pipeline)
	builder := func() {
		for program := range next {
			for _, p := range program {
				if w.searching.Err() == nil {
					p.build(w.searching)
					w.wake()
				}
			}
		}
	}
	var wg sync.WaitGroup
	wg.Go(builder)
	for i, program := range smallestFirst(w.programs()) {
		next <- program
		if i == 1 && run.Workers(0) > 1 { // the first is built
			wg.Go(builder)
		}
	}
	close(next)
	wg.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.building = false
	w.change.Broadcast()
}

// programs are the targets of each program, which are built once for all.
func (w *crew) programs() (all [][]*pipeline) {
	type key struct {
		dir  string
		main bool
	}
	at := map[key]int{}
	for _, p := range w.all {
		k := key{p.job.Dir, p.job.Main}
		i, ok := at[k]
		if !ok {
			i = len(all)
			at[k], all = i, append(all, nil)
		}
		all[i] = append(all[i], p)
	}
	return all
}

// smallestFirst puts that program first whose folder has the shortest sources.
func smallestFirst(programs [][]*pipeline) [][]*pipeline {
	if len(programs) < 2 {
		return programs
	}
	best, least := 0, int64(math.MaxInt64)
	for i, p := range programs {
		if n := sizeOf(p[0].job.Dir); n < least {
			best, least = i, n
		}
	}
	return slices.Concat(programs[best:best+1], programs[:best], programs[best+1:])
}

// sizeOf is how long the Go files of a folder are, in bytes.
func sizeOf(dir string) (n int64) {
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, f := range files {
		if st, err := os.Stat(f); err == nil {
			n += st.Size()
		}
	}
	return n
}

// next waits for something to do; nil if there will be nothing more.
func (w *crew) next() func() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.ctx.Err() == nil {
		if task := w.task(); task != nil {
			return task
		}
		if w.idle() {
			w.change.Broadcast()
			return nil
		}
		w.change.Wait()
	}
	return nil
}

// task takes what is worth most at the moment, nil if there is nothing.
func (w *crew) task() func() {
	late := len(w.waiting)+w.confirming > 0 && !time.Now().Before(w.reserved())
	if w.over = w.over || late || w.searching.Err() != nil; w.over {
		if p := w.free(searched); p != nil {
			return w.taken(p, func() { p.finish(w.ctx, time.Until(w.deadline())) })
		}
	} else if p := w.free(built); p != nil {
		return w.taken(p, func() { p.look(w.lookSlice()) })
	}
	if c := w.nextConfirmation(); c != nil {
		return func() { w.confirm(c) }
	}
	if p := w.nextSlow(); p != nil && !w.over {
		return w.taken(p, func() { p.step(w.searching, search.Slice{Attempts: lookAttempts, Time: sliceTime}) })
	}
	if p := w.worthMost(); p != nil && !w.over {
		s := w.slice()
		return w.taken(p, func() { p.step(w.searching, s) })
	}
	return nil
}

// taken is a task on a pipeline that no other worker touches meanwhile.
func (w *crew) taken(p *pipeline, do func()) func() {
	p.busy = true
	return func() {
		do()
		w.stopped(p)
		w.mu.Lock()
		defer w.mu.Unlock()
		p.busy = false
		w.change.Broadcast()
	}
}

// free is the first pipeline in a state that no worker has taken.
func (w *crew) free(s state) *pipeline {
	i := slices.IndexFunc(w.all, func(p *pipeline) bool { return p.state == s && !p.busy })
	if i < 0 {
		return nil
	}
	return w.all[i]
}

// idle is true if nothing is going on that could give more to do.
func (w *crew) idle() bool {
	return w.confirming == 0 && (len(w.waiting) == 0 || w.ctx.Err() != nil) && (!w.building || w.over) &&
		!slices.ContainsFunc(w.all, func(p *pipeline) bool {
			return p.busy || p.state == searched || p.state == built && !w.over
		})
}

// reserved is when searching ends if there is something to confirm.
func (w *crew) reserved() time.Time { return w.deadline().Add(-w.reserve()) }

// lookSlice is the share of a target in the first pass, which takes at most half of
// the time.
func (w *crew) lookSlice() search.Slice {
	w.mu.Lock()
	defer w.mu.Unlock()
	unseen := 1
	for _, p := range w.all {
		if p.state == unbuilt || p.state == built {
			unseen++
		}
	}
	if len(w.all) == 1 {
		return search.Slice{Attempts: lookAttempts, Time: time.Until(w.end)}
	}
	share := time.Until(w.end) * time.Duration(w.workers) / time.Duration(unseen) / 2
	return search.Slice{Attempts: lookAttempts, Time: min(lookTime, max(share, leastLook))}
}

// slice is what a search does before its worker looks for something better.
func (w *crew) slice() search.Slice {
	left := 0
	for _, p := range w.all {
		if p.state != ended {
			left++
		}
	}
	s := search.Slice{Attempts: sliceAttempts, Time: sliceTime}
	if left == 1 {
		s = search.Slice{Time: min(aloneTime, w.Budget/6)}
	}
	s.Time = max(1, min(s.Time, time.Until(w.end)))
	return s
}

// slots bound how many programs run at a time.
type slots chan struct{}

func newSlots(n int) slots { return make(slots, n) }

// take waits for a slot; done gives it back. If ctx ends first, ok is false.
func (s slots) take(ctx context.Context) (done func(), ok bool) {
	select {
	case s <- struct{}{}:
		return func() { <-s }, true
	case <-ctx.Done():
		return nil, false
	}
}
