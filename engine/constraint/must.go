package constraint

// Order is must-happen-before.
type Order struct{}

func (c *Checker) mustBefore(a, b EventID) bool { return false }

// Writers are the events that r may take its value from.
func (c *Checker) Writers(r EventID) []EventID {
	ev := &c.x.s.Events[r]
	var out []EventID
	recv, own := ev.Op == Recv, NoEvent
	for _, w := range c.x.ofObj[ev.Obj] {
		o := &c.x.s.Events[w]
		if recv && o.Op != Send || !recv && o.Op != Write && o.Op != RMW {
			continue
		}
		if o.Thread != ev.Thread {
			out = append(out, w)
		} else if recv && c.x.before(w, r) && c.x.s.Objects[ev.Obj].Cap > 0 {
			out = append(out, w)
		} else if c.x.before(w, r) && (own == NoEvent || c.x.in[own] < c.x.in[w]) {
			own = w
		}
	}
	if !recv {
		out = append(out, own) // NoEvent: the initial value
	}
	return out
}
