package breakpoints

import (
	"strconv"
	"strings"
)

// statReader sums the statistics in a report. Each process that writes to it
// repeats its counts as they grow, so that its last line of a breakpoint counts.
// A line that was cut short by the end of a process is skipped.
type statReader struct {
	latest []latestStat
	said   map[int]*Stat // Held and Faults only
}

type latestStat struct {
	key string
	id  int
	Stat
}

// readStats finds them anywhere in a report, also behind a dump.
func readStats(report string) map[int]*Stat {
	var r statReader
	for line := range strings.Lines(report) {
		line, whole := strings.CutSuffix(line, "\n")
		word, rest, _ := strings.Cut(line, " ")
		if whole && (word == "stat" || word == "held" || word == "fault") {
			r.line(word, rest)
		}
	}
	return r.sum()
}

func (r *statReader) line(word, rest string) {
	if word == "stat" {
		f := strings.Fields(rest)
		if len(f) < 2 {
			return
		}
		id, err := strconv.Atoi(f[1])
		if s, ok := parseStat(f[2:]); ok && err == nil {
			r.set(latestStat{f[0], id, s})
		}
		return
	}
	num, quoted, _ := strings.Cut(rest, " ")
	id, err := strconv.Atoi(num)
	s, err2 := strconv.Unquote(quoted)
	if err != nil || err2 != nil {
		return
	}
	if r.said == nil {
		r.said = map[int]*Stat{}
	}
	if r.said[id] == nil {
		r.said[id] = &Stat{}
	}
	list := &r.said[id].Held
	if word == "fault" {
		list = &r.said[id].Faults
	}
	if !has(*list, s) {
		*list = append(*list, s)
	}
}

func (r *statReader) set(l latestStat) {
	for i := range r.latest {
		if r.latest[i].key == l.key && r.latest[i].id == l.id {
			r.latest[i] = l
			return
		}
	}
	r.latest = append(r.latest, l)
}

// sum is nil if no process told of a breakpoint.
func (r *statReader) sum() map[int]*Stat {
	if len(r.latest) == 0 && r.said == nil {
		return nil
	}
	sum := r.said
	if sum == nil {
		sum = map[int]*Stat{}
	}
	for _, l := range r.latest {
		if sum[l.id] == nil {
			sum[l.id] = &Stat{}
		}
		sum[l.id].add(l.Stat)
	}
	return sum
}
