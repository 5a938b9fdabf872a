package recordings

import (
	"path"

	"github.com/hocket-dev/hocket/engine/record"
	"github.com/hocket-dev/hocket/engine/rt"
)

// Orders name operations by their counts. Where a controlled run went another way than the
// recorded one, the counts that follow are of the other way. But how many operations there
// are from one statement to the next is mostly the same wherever it is seen: so the counts
// are foreseen that a run has which goes the recorded way.

// place is a statement, and what it does.
type place struct {
	kind record.Kind
	file string
	line int
}

func (d *director) placeOf(thread, step int) place {
	s := d.steps[thread][step]
	return place{classOf(s.Kind), path.Base(s.File), s.Line}
}

// places are those of the program's own statements that the recorded run came to.
func (d *director) places() map[place]bool {
	if d.known == nil {
		d.known = map[place]bool{}
		for i, steps := range d.steps {
			for j, s := range steps {
				if s.Direct && matchable(s) {
					d.known[d.placeOf(i, j)] = true
				}
			}
		}
	}
	return d.known
}

// foreseen are the matches of each thread up to where its way parts from the recorded one,
// and from there on those that it will have.
func (d *director) foreseen(all [][]match) [][]match {
	seen, apart := map[place]bool{}, map[[2]place]uint32{}
	for i, ms := range all {
		for k, m := range ms {
			seen[d.placeOf(i, m.step)] = true
			if k == 0 || m.gap {
				continue
			}
			pair := [2]place{d.placeOf(i, ms[k-1].step), d.placeOf(i, m.step)}
			if n, ok := apart[pair]; !ok || m.count-ms[k-1].count < n {
				apart[pair] = m.count - ms[k-1].count
			}
		}
	}
	out := make([][]match, len(all))
	for i := range all {
		out[i] = d.foresee(i, all[i], seen, apart)
	}
	return out
}

// foresee is foreseen of one thread. A step that is not the program's own need not be an
// operation of a controlled run: it counts if it was seen to be one.
func (d *director) foresee(thread int, ms []match, seen map[place]bool, apart map[[2]place]uint32) (out []match) {
	parted := false
	for j, s := range d.steps[thread] {
		if !matchable(s) || !seen[d.placeOf(thread, j)] {
			continue
		}
		matched := len(ms) > 0 && ms[0].step == j
		parted = parted || s.Direct && !matched || matched && ms[0].gap && s.Kind != rt.KindOnce
		if !parted {
			if matched {
				out, ms = append(out, ms[0]), ms[1:]
			}
			continue
		}
		if len(out) == 0 {
			return ms // it did not begin as recorded: nothing is known of it
		}
		before := out[len(out)-1]
		n, ok := apart[[2]place{d.placeOf(thread, before.step), d.placeOf(thread, j)}]
		switch {
		case ok:
		case s.Direct:
			n = 1
		default:
			continue
		}
		before.step, before.more = j, before.more+n
		out = append(out, before)
	}
	return out
}
