package projection

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/trace"
)

// stale is a store after which, in the order of the run, another goroutine read another
// value.
type stale struct{ store, read int }

// stales are those of a run under a weaker memory model than sequential consistency: the
// last store of a value before a read that found another one. Each statement is there once.
func (a *analysis) stales() (out []stale) {
	if a.in.Fail.Schedule.Memory == trace.SC {
		return nil
	}
	last := map[trace.ObjID]int{}
	type places struct{ store, read trace.StackID }
	seen := map[places]bool{}
	for i := range a.fail.events {
		e := &a.fail.events[i]
		w, written := last[e.Obj]
		switch {
		case e.Op == trace.OpWrite && e.HasValue:
			last[e.Obj] = i
		case e.Op != trace.OpRead:
			delete(last, e.Obj) // what is there now is not known
		case e.HasValue && written:
			s := &a.fail.events[w]
			if at := (places{s.Stack, e.Stack}); s.G != e.G && s.Value != e.Value && !seen[at] {
				seen[at] = true
				out = append(out, stale{w, i})
			}
		}
	}
	return out
}

// mostStales are told.
const mostStales = 3

// staleCause has both sides of each.
func (a *analysis) staleCause(set *rootSet, all []stale) {
	for _, s := range all[:min(len(all), mostStales)] {
		set.add(a.entry(s.store), a.entry(s.read))
	}
}

// staleWords tells them.
func (a *analysis) staleWords(all []stale) string {
	var parts []string
	for _, s := range slices.Clip(all)[:min(len(all), mostStales)] {
		w, r := a.entry(s.store), a.entry(s.read)
		parts = append(parts, fmt.Sprintf("%s had set `%s` to %s (%s), but %s read %s from it (%s), although the store comes before in the order of the run",
			a.who(w), strings.ReplaceAll(a.accessedName(w), "`", ""), a.fail.FormatValue(a.fail.events[s.store]), a.at(w, false),
			a.who(r), a.fail.FormatValue(a.fail.events[s.read]), a.at(r, false)))
	}
	return strings.Join(parts, "; ") + "."
}
