package projection

import "fmt"

// ledTo is what an order of two operations on something that is no memory led to: the
// read on which the failure depends of what another goroutine wrote, and that write. That
// somebody was the first at a Once, or got what another had put into a pool, says nothing
// of what went wrong.
func (a *analysis) ledTo(u unit) []entry {
	r := a.fail
	if u.shape != ordered || r.events[u.w].Op.IsMemory() || r.events[u.e].Op.IsMemory() || r.fail < 0 || a.pass == nil {
		return nil
	}
	for _, n := range a.slice(r.fail) {
		e := &r.events[n.ev]
		src := r.src[n.ev]
		if !e.Op.IsMemory() || !e.Reads() || src < 0 || !r.events[src].Op.IsMemory() || r.events[src].G == e.G || src > n.ev || a.sameFlow(n.ev) {
			continue
		}
		write, read := a.entry(src), a.entry(n.ev)
		if len(write.stack) > 0 && len(read.stack) > 0 {
			return []entry{write, read}
		}
	}
	return nil
}

// ledWords tell that.
func (a *analysis) ledWords() string {
	if len(a.led) == 0 {
		return ""
	}
	write, read := a.led[0], a.led[1]
	if a.called(read) != "" || a.called(write) != "" { // a call is not what was written
		return fmt.Sprintf(" %s then %s (%s), after %s.", title(a.who(read)), a.did(read, a.object(read)), a.at(read, false), a.hadDone(read, write))
	}
	return fmt.Sprintf(" %s then %s (%s), which %s had written (%s).", title(a.who(read)), a.did(read, a.object(read)), a.at(read, false), a.who(write), a.at(write, false))
}
