package constraint_test

import (
	"fmt"

	"github.com/hocket-dev/hocket/engine/constraint"
)

func formatEvent(s *constraint.System, e constraint.EventID, ev *constraint.Event) string {
	o := s.Objects[ev.Obj]
	return fmt.Sprintf("%d: T%d after %d: %v %v(obj%d cap %d nil %v) val %v cond %v outcome %d delta %d partner %d child %d cases %v pending %v open %v\n",
		e, ev.Thread, ev.Prev, ev.Op, o.Kind, ev.Obj, o.Cap, o.Nil, ev.Val, ev.Cond, ev.Outcome, ev.Delta, ev.Partner, ev.Child, ev.Cases, ev.Pending, s.Threads[ev.Thread].Open)
}
