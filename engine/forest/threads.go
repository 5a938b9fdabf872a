package forest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/trace"
)

// usesTimers is the doubt about all programs with timers: they may fire at other
// times, and more or less often, than in the runs that were seen.
const usesTimers = "the program uses timers"

// timer is one that a goroutine made, or the fact that it was set again later.
type timer struct {
	starts []int32 // the threads that it started in some run: of its first firing, or of the later ones
}

// findThreads finds the threads of the run's goroutines.
//
// A goroutine is a thread if it is main, or if the trace has what started it, by a
// thread: its go statement, or the making of the timer whose function it runs (of
// a later firing, some setting of that timer again). That is the Spawn of the
// thread, so that no schedule of the model has it begin earlier. All others,
// among them those of the runtime, and what they start, are outside the model,
// and the forest is incomplete: others see their effects come from nowhere. It is
// incomplete with every goroutine of a timer, too, as the model does not know the
// time: there a timer fires whenever it likes once it is made, stopped or not.
func (r *reader) findThreads() {
	begun := r.begun()
	r.threads = make([]int32, len(r.t.Goroutines))
	r.threads[0] = -1
	for i, g := range r.t.Goroutines[1:] {
		id := trace.GID(i + 1)
		r.threads[id] = -1
		if g.ByTimer() {
			r.f.doubt(usesTimers)
		}
		if by, ok := begun[id]; id != 1 && (!ok || r.threads[by] < 0) {
			r.f.doubt("it is not known what started a goroutine")
			continue
		}
		r.threads[id] = r.f.thread(g.Path, g.Key)
		r.run.threads = append(r.run.threads, r.threads[id])
		if g.ByTimer() {
			r.f.fired(timerName(g.Path), r.threads[id])
		}
	}
}

// begun is by goroutine which one started it, or made or set its timer.
func (r *reader) begun() map[trace.GID]trace.GID {
	begun, timers := map[trace.GID]trace.GID{}, map[string]trace.GID{}
	for i := range r.t.Events {
		switch e := &r.t.Events[i]; e.Op {
		case trace.OpSpawn:
			begun[trace.GID(e.Aux)] = e.G
		case trace.OpTimer:
			if name := r.timerOf(e); timers[name] == 0 {
				timers[name] = e.G
			}
		}
	}
	for i, g := range r.t.Goroutines {
		if by := timers[timerName(g.Path)]; g.ByTimer() && by != 0 {
			begun[trace.GID(i)] = by
		}
	}
	return begun
}

// timerOf is the name of the timer that an event is about: "0.t2" is the second
// that main made, "0.t2 again" the same one when it is set once more.
func (r *reader) timerOf(e *trace.Event) string {
	if !e.HasValue {
		return fmt.Sprintf("%s.t%d", r.t.Goroutine(e.G).Path, uint32(e.Aux))
	}
	return fmt.Sprintf("%s.t%d again", r.t.Goroutine(trace.GID(e.Value)).Path, uint32(e.Aux))
}

// timerName is the name, as timerOf has it, of the timer that started a
// goroutine: "0.t2" of "0.t2.1", "0.t2 again" of "0.t2.2" and so on.
func timerName(path string) string {
	i := max(strings.LastIndexByte(path, '.'), 0)
	if path[i:] == ".1" {
		return path[:i]
	}
	return path[:i] + " again"
}

// timer finds a timer by its name; 0 is none.
func (f *Forest) timer(name string) int32 {
	id, ok := f.timerIDs[name]
	if !ok {
		id = int32(len(f.timers))
		f.timerIDs[name] = id
		f.timers = append(f.timers, timer{})
	}
	return id
}

// fired notes that a timer started a thread.
func (f *Forest) fired(name string, thread int32) {
	if t := &f.timers[f.timer(name)]; !slices.Contains(t.starts, thread) {
		t.starts = append(t.starts, thread)
		f.regrow = true
	}
}
