package search

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// ledger holds what the attempts judged so far showed, and decides what of it
// is a finding. Which leaks are, can change with every run: a place is noise
// as long as every finished run leaves goroutines behind there.
type ledger struct {
	samples  map[string]*sample     // failures and races, by what they showed exactly
	rejected map[run.Signature]bool // that no replay showed
	excused  map[run.Signature]bool // that are no failures, as who looked into them says
	base     map[string]int         // goroutines left behind at a place by every finished run; nil before the first
	kinds    map[trace.OutcomeKind]int
	passing  []*run.Result // finished runs

	aim       Aim   // the state that is looked for; nil: any failure is
	enough    Level // of what counts as that
	reached   int   // verdicts that show at least its failure
	reachedAt int   // the first of these attempts

	counted  []Finding // failed tests that count allocations
	timeOuts []Finding // failures at time-outs of the program's own, see timeOut

	hungAt  int    // the fewest steps of a run that was killed at the real time limit; 0: none was
	outside string // what of the first run that came to no end can't be controlled

	single single // passing runs that left no order to choose

	judged, verdicts, limits, hangs, errors int
	loose                                   int // runs that are none of the memory model

	hashes map[uint64]struct{} // of the runs
	took   time.Duration       // all runs together
}

// levelOf says how much of the state that is looked for a failing run shows.
func (l *ledger) levelOf(r *run.Result) Level {
	if l.aim == nil {
		return Elsewhere
	}
	return l.aim.Match(r).Level
}

// sample is the first attempt that showed something, and how many did.
type sample struct {
	Finding
	waiting map[string]int
}

// Bounds of what is remembered: a target that fails in ever new ways must not
// fill the memory.
const (
	maxSamples = 512
	maxPassing = 64
)

func newLedger() *ledger {
	return &ledger{
		samples: map[string]*sample{}, rejected: map[run.Signature]bool{}, excused: map[run.Signature]bool{},
		kinds: map[trace.OutcomeKind]int{}, hashes: map[uint64]struct{}{}, enough: SameState,
	}
}

// add judges attempt n.
func (l *ledger) add(n int, spec run.Spec, r *run.Result) {
	light := *r
	light.Trace = nil // big, and only the strategy wants it
	r = &light
	l.judged++
	l.hashes[r.Hash] = struct{}{}
	l.took += r.Duration
	l.addRaces(n, spec, r)
	if l.outside == "" && (r.Hang || r.Outcome.Kind == trace.StepLimit) {
		l.outside = r.Outside
	}
	switch {
	case r.Loose:
		l.loose++
		return
	case r.Outcome.Cut:
		l.limits++
		l.failure(n, spec, r)
		return
	case r.Hang:
		l.hangs++
		if l.hungAt == 0 || r.Steps < l.hungAt {
			l.hungAt = r.Steps
		}
		return
	case r.Outcome.Kind == trace.StepLimit:
		l.limits++
		return
	case r.Outcome.Kind == trace.InternalErr || r.Outcome.Kind == "":
		l.errors++
		return
	}
	if r.MemStats && r.Outcome.Kind == trace.TestFailed {
		l.counted = addNew(l.counted, n, r)
		return
	}
	if r.TimedOut && r.Failed() {
		l.timeOut(n, r)
		return
	}
	l.verdicts++
	l.kinds[r.Outcome.Kind]++
	waiting := run.BlockedPlaces(r)
	if r.Finished() {
		if oneSchedule(spec, r) {
			l.single.add(spec, r)
		}
		l.lower(waiting)
		if len(l.passing) < maxPassing {
			l.passing = append(l.passing, r)
		}
	}
	if r.Failed() && l.failure(n, spec, r) >= SameFailure {
		if l.reached++; l.reached == 1 {
			l.reachedAt = n
		}
	}
}

// failure files a failing run, and says how much of the state that is looked for it shows.
func (l *ledger) failure(n int, spec run.Spec, r *run.Result) Level {
	waiting := run.BlockedPlaces(r)
	level := l.levelOf(r)
	l.sample(fmt.Sprint(run.SignatureOf(r), waiting, level), &sample{
		Finding: Finding{Signature: run.SignatureOf(r), Attempt: n, Spec: spec, Result: r, aim: l.aim, Level: level},
		waiting: waiting,
	})
	return level
}

// showsNew is true of a run that was cut off if goroutines are blocked at places that
// no sample has and that are not of every finished run.
func (l *ledger) showsNew(r *run.Result) bool {
	if !r.Outcome.Cut {
		return false
	}
	places := beyond(run.BlockedPlaces(r), l.base)
	for _, s := range l.samples {
		if f, ok := l.finding(s); ok && f.Signature.Kind == trace.Leaked && subset(places, f.places) {
			return false
		}
	}
	return len(places) > 0
}

func (l *ledger) addRaces(n int, spec run.Spec, r *run.Result) {
	seen := map[run.Signature]bool{}
	for _, p := range r.Races {
		sig := run.RaceSignature(p)
		if !inUserCode(p) || seen[sig] {
			continue
		}
		seen[sig] = true
		l.sample(sig.String(), &sample{Finding: Finding{Signature: sig, Attempt: n, Spec: spec, Result: r, Race: &p}})
	}
}

func (l *ledger) sample(key string, s *sample) {
	if old := l.samples[key]; old != nil {
		old.Count++
		if old.Delayed() && !s.Delayed() {
			s.Count = old.Count
			*old = *s
		}
		return
	}
	if len(l.samples) < maxSamples {
		s.Count = 1
		l.samples[key] = s
	}
}

// lower makes base what this finished run and all before left behind.
func (l *ledger) lower(waiting map[string]int) {
	if l.base == nil {
		l.base = maps.Clone(waiting)
		return
	}
	for p, n := range l.base {
		l.base[p] = min(n, waiting[p])
	}
}

// beyond is where more goroutines wait than every finished run leaves behind.
func beyond(waiting, base map[string]int) (places []string) {
	for p, n := range waiting {
		if n > base[p] {
			places = append(places, p)
		}
	}
	slices.Sort(places)
	return places
}

// alwaysLeaks lists the noise.
func (l *ledger) alwaysLeaks() (places []string) {
	if l.aim != nil {
		return nil
	}
	for p, n := range l.base {
		if n > 0 {
			places = append(places, p)
		}
	}
	slices.Sort(places)
	return places
}

// leak is the first run that left goroutines at places of every run, taken for
// a failure of its own.
func (l *ledger) leak(places []string) *Finding {
	for _, s := range l.ordered() {
		if s.Signature.Kind == trace.Leaked && s.Result != nil {
			f := s.Finding
			f.places, f.base, f.Replayed = places, nil, true
			return &f
		}
	}
	return nil
}

// findings of the moment: failures by attempt, those that came without a delay
// first, then races.
func (l *ledger) findings() (found []Finding) {
	for _, s := range l.ordered() {
		f, ok := l.finding(s)
		if !ok || l.rejected[f.Signature] || l.excused[f.Signature] {
			continue
		}
		if i := slices.IndexFunc(found, func(g Finding) bool { return g.Covers(&f) }); i >= 0 {
			found[i].Count += f.Count
			continue
		}
		found = append(found, f)
	}
	return found
}

func (l *ledger) ordered() []*sample {
	return slices.SortedFunc(maps.Values(l.samples), func(a, b *sample) int {
		return cmp.Or(
			cmp.Compare(isRace(&a.Finding), isRace(&b.Finding)),
			compareBool(a.Delayed(), b.Delayed()),
			cmp.Compare(a.Attempt, b.Attempt),
			strings.Compare(a.Signature.String(), b.Signature.String()),
		)
	})
}

func isRace(f *Finding) int {
	if f.Signature.Kind == trace.Raced {
		return 1
	}
	return 0
}

// finding turns a sample into a finding if some other schedule lacks it. Of
// each kind but leaks, one schedule without a failure of that kind is asked
// for: a test that fails with ever different messages fails always.
func (l *ledger) finding(s *sample) (Finding, bool) {
	f := s.Finding
	if l.aim != nil {
		return f, l.aimedAt(&f, s.waiting)
	}
	f.base = maps.Clone(l.base)
	switch f.Signature.Kind {
	case trace.Raced:
		return f, true
	case trace.Leaked:
		f.places = beyond(s.waiting, l.base)
		f.Signature.Places = strings.Join(f.places, "; ")
		return f, len(f.places) > 0
	case trace.Deadlocked:
		f.places = slices.Sorted(maps.Keys(s.waiting))
	}
	return f, l.kinds[f.Signature.Kind] < l.verdicts
}

// aimedAt says whether a sample is the state that is looked for, and some other schedule
// lacks its failure: that somebody has seen the state says nothing of its cause.
func (l *ledger) aimedAt(f *Finding, waiting map[string]int) bool {
	if f.Race != nil {
		return l.aim.MatchRace(*f.Race)
	}
	if l.verdicts > 0 && l.only() == f.Signature.Kind {
		return false
	}
	switch f.Signature.Kind {
	case trace.Leaked, trace.Deadlocked:
		f.places = slices.Sorted(maps.Keys(waiting))
	}
	return f.Level >= l.enough
}

// relax makes failures count in which others stand elsewhere, if nothing better was seen.
func (l *ledger) relax() {
	if l.aim != nil && len(l.findings()) == 0 {
		l.enough = SameFailure
	}
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// undelayed are the failures that are not set aside and came without a delay.
func undelayed(found []Finding) (n int) {
	for i := range found {
		if !found[i].Delayed() && !found[i].Aside() {
			n++
		}
	}
	return n
}

// failures of the moment that are not set aside.
func failures(found []Finding) int {
	n := 0
	for i := range found {
		if !found[i].Aside() {
			n++
		}
	}
	return n
}

// only returns the kind of failure that all attempts showed, "" if none. If a state is
// looked for, it is that state's failure.
func (l *ledger) only() trace.OutcomeKind {
	if l.aim != nil && l.reached < l.verdicts {
		return ""
	}
	for k, n := range l.kinds {
		if n == l.verdicts && k != trace.Passed && k != trace.Raced && k != trace.Leaked {
			return k
		}
	}
	return ""
}

// passed lists remembered runs in which nothing failed.
func (l *ledger) passed() (pool []*run.Result) {
	for _, r := range l.passing {
		if len(beyond(run.BlockedPlaces(r), l.base)) == 0 {
			pool = append(pool, r)
		}
	}
	return pool
}
