package hunt

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/progress"
)

// activity is something that is being done with a target, at the same time as others.
type activity struct {
	by     any // a job is built, a pipeline searches, a confirmation confirms
	phase  progress.Phase
	target string
}

// working says in the progress what is being done now.
func (w *crew) working(by any, phase progress.Phase, job *Job) {
	w.Sink.Progress(func(u *progress.Update) {
		w.forget(by)
		w.active = append(w.active, activity{by, phase, job.Name()})
		u.Phase, u.Target = phase, job.Name()
	})
}

// stopped says in the progress what is still being done, if anything is: of several
// the latest.
func (w *crew) stopped(by any) {
	w.Sink.Progress(func(u *progress.Update) {
		w.forget(by)
		if n := len(w.active); n > 0 {
			u.Phase, u.Target = w.active[n-1].phase, w.active[n-1].target
		}
	})
}

func (w *crew) forget(by any) {
	w.active = slices.DeleteFunc(w.active, func(a activity) bool { return a.by == by })
}
