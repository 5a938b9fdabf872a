package projection

import (
	"fmt"
	"path"

	"github.com/hocket-dev/hocket/engine/trace"
)

// collected says where the collector ran before the failure because the schedule
// let it, "" if it did not.
func (a *analysis) collected() string {
	t := a.in.Fail
	if len(t.Schedule.Collections) == 0 {
		return ""
	}
	for i := range t.Events {
		e := &t.Events[i]
		if e.Op == trace.OpTestFail || e.Op == trace.OpPanic {
			return ""
		}
		if e.Op != trace.OpCollect {
			continue
		}
		if f, ok := t.UserFrame(e.Stack); ok {
			return fmt.Sprintf("The garbage collector ran while `%s` was at %s.", t.Goroutine(e.G).Display, fmt.Sprintf("%s:%d", path.Base(a.in.Roots.Name(f.File)), f.Line))
		}
		return "The garbage collector ran before the failure."
	}
	return ""
}
