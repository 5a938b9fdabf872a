package hunt

import (
	"testing"

	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/target"
)

// What the progress shows is being done: when it stops, another thing is shown, with
// the target that belongs to it.
func TestPhaseOfTheTargetNamed(t *testing.T) {
	l := &log{}
	w := &crew{Hunter: &Hunter{Sink: l}}
	job := func(name string) *Job { return &Job{Target: target.Target{Package: "m", Entry: name}} }
	a, b := job("TestA"), job("TestB")
	shows := func(phase progress.Phase, target string) {
		t.Helper()
		if l.update.Phase != phase || l.update.Target != target {
			t.Errorf("shows %s %s, want %s %s", l.update.Phase, l.update.Target, phase, target)
		}
	}
	w.working("search", progress.Searching, a)
	shows(progress.Searching, "m TestA")
	w.working("confirm", progress.Simplifying, b)
	w.working("confirm", progress.Explaining, b)
	shows(progress.Explaining, "m TestB")
	w.stopped("confirm")
	shows(progress.Searching, "m TestA")
	w.working("build", progress.Building, b)
	w.stopped("search")
	shows(progress.Building, "m TestB")
	w.stopped("build")
	shows(progress.Building, "m TestB") // nothing else is known
}
