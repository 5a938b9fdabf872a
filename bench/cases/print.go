package main

import (
	"fmt"
	"strings"

	"github.com/hocket-dev/hocket/bench/table"
	"github.com/hocket-dev/hocket/engine/report"
)

// enough runs of 100 must fail for a native confirmation.
const enough = 95

// longest root cause that still explains.
const longest = 8

func (r *result) print(t *table.Table, name string) {
	tries, found, kind, cause, replays, native, notes := 0, "no", "", "", "", "", r.notes()
	for _, x := range r.targets {
		tries += x.Searched.Attempts
	}
	if f := r.first; f != nil {
		found, kind = "yes", f.Kind+"/"+f.Class
		cause = fmt.Sprintf("%d/%d in %d", r.lines-len(r.missing), r.lines, len(f.RootCause))
		replays, native = ratio(&f.Replay), ratio(f.Native)
	}
	twin, played, seconds := "not run", "", ""
	if r.twinRan {
		twin = "0"
	}
	if len(r.twinSays) > 0 {
		twin = strings.Join(r.twinSays, ",")
	}
	if r.twin != nil {
		played = fmt.Sprintf("%s, played %d", ratio(&r.twin.Count), r.twin.Played)
		seconds = fmt.Sprintf("%.1f", r.twin.Took.Seconds())
	}
	t.Row(name, found, tries, r.took.Seconds(), kind, cause, replays, native, twin, played, seconds, strings.Join(notes, "; "))
}

func (r *result) notes() []string {
	var notes []string
	for _, x := range r.targets {
		if x.Status != report.Failing {
			notes = append(notes, strings.TrimSpace(string(x.Status)+" "+x.Error))
		}
	}
	if len(r.missing) > 0 {
		notes = append(notes, "does not name "+strings.Join(r.missing, " "))
	}
	if len(r.others) > 0 {
		notes = append(notes, "also "+strings.Join(r.others, ","))
	}
	if r.first != nil && r.first.NativeNote != "" {
		notes = append(notes, r.first.NativeNote)
	}
	if r.twinErr != nil {
		notes = append(notes, r.twinErr.Error())
	}
	return notes
}

func ratio(c *report.Count) string {
	if c == nil {
		return "-"
	}
	return fmt.Sprintf("%d/%d", c.Failed, c.Runs)
}

// summary counts what went as it should.
type summary struct {
	cases, found, causes, replays, natives, quiet, twinFails, orders int
}

func (s *summary) add(r *result) {
	s.cases++
	if r.twinRan && len(r.twinSays) == 0 {
		s.quiet++
	}
	if r.twin != nil {
		s.orders++
		s.twinFails += r.twin.Count.Failed
	}
	f := r.first
	if f == nil {
		return
	}
	s.found++
	if len(r.missing) == 0 && len(f.RootCause) <= longest {
		s.causes++
	}
	if f.Replay.Runs == 100 && f.Replay.Failed == 100 {
		s.replays++
	}
	if f.Native != nil && f.Native.Runs == 100 && f.Native.Failed >= enough {
		s.natives++
	}
}

func (s *summary) String() string {
	return fmt.Sprintf("%d cases: %d found, %d with a root cause that names every line in at most %d entries, %d replayed 100/100, %d native with %d/100 or more;\n"+
		"%d fixed twins without a finding; %d orders played on twins, %d runs of them failed",
		s.cases, s.found, s.causes, longest, s.replays, s.natives, enough, s.quiet, s.orders, s.twinFails)
}
