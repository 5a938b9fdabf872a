package session

import (
	"maps"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/search"
)

// One bug is one finding. A race whose two accesses are steps of a failure's root cause
// is another sign of the same bug, and so is a failure with one of the orders that
// suffice for another one in the same target, and a second race between the same two
// lines, or on what the goroutines reach by a race. They are named with the finding, and
// are none themselves.

// covers reports whether a finding tells of the bug that another one shows.
func covers(f, other *report.Finding) bool {
	switch {
	case f.ID == other.ID || f.Package != other.Package || f.Entry != other.Entry || f.TimeDependent != nil:
		return false
	case other.Kind == raced && f.Kind == raced:
		return samePair(f.RootCause, other.RootCause) || samePair(f.RootCause, other.Behind)
	case other.Kind == raced, other.Class == raced && other.Cause == nil && f.Cause != nil:
		return (f.Cause != nil || f.Class == raced) && len(other.RootCause) > 0 && // one step stands for both sides at one line
			!slices.ContainsFunc(other.RootCause, func(x report.Access) bool { return !isStep(f.RootCause, x) && !isUncounted(f, x) && !isTorn(f, x) })
	}
	return f.Kind != raced && sharesOrder(f, other)
}

const raced = "data-race"

// samePair is true of the accesses of two races at the same two lines, which may be
// told of different callers.
func samePair(a, b []report.Access) bool {
	if len(a) != 2 || len(b) != 2 {
		return false
	}
	return sameLine(a[0], b[0]) && sameLine(a[1], b[1]) || sameLine(a[0], b[1]) && sameLine(a[1], b[0])
}

func isStep(steps []report.Access, x report.Access) bool {
	return slices.ContainsFunc(steps, func(s report.Access) bool { return sameLine(s, x) })
}

// isUncounted is true of an Add or a Wait between two steps of the cause by the same
// goroutine in the same function: what Wait did not wait for is why those steps could
// come in that order.
func isUncounted(f *report.Finding, x report.Access) bool {
	if f.Cause == nil || x.Op != "add" && x.Op != "wait" {
		return false
	}
	before, after := false, false
	for _, s := range f.RootCause {
		if s.Goroutine == x.Goroutine && s.File == x.File && s.Func == x.Func {
			before, after = before || s.Line <= x.Line, after || s.Line >= x.Line
		}
	}
	return before && after
}

// isTorn is true of an access in the lines that an atomicity violation tore apart, or
// that came in between, whichever goroutine does it: it races there for want of the same
// lock. And of one at the failure's own line, where what was checked is printed.
func isTorn(f *report.Finding, x report.Access) bool {
	if f.Cause == nil || f.Class != "atomicity-violation" {
		return false
	}
	if x.File == f.Failure.File && x.Line == f.Failure.Line {
		return true
	}
	return slices.ContainsFunc(f.RootCause, func(first report.Access) bool {
		from, to := first.Line, first.Line
		for _, s := range f.RootCause {
			if s.Goroutine == first.Goroutine && s.File == first.File && s.Func == first.Func {
				from, to = min(from, s.Line), max(to, s.Line)
			}
		}
		return x.File == first.File && x.Func == first.Func && from <= x.Line && x.Line <= to
	})
}

func sameLine(a, b report.Access) bool { return a.File == b.File && a.Line == b.Line }

// sharesOrder is true of two failures that have an order in common.
func sharesOrder(f, g *report.Finding) bool {
	if f.Cause == nil || g.Cause == nil {
		return false
	}
	for _, x := range f.Cause.Orders {
		for _, y := range g.Cause.Orders {
			if x.Before >= 0 && y.Before >= 0 &&
				sameStep(f.RootCause[x.Before], g.RootCause[y.Before]) && sameStep(f.RootCause[x.After], g.RootCause[y.After]) {
				return true
			}
		}
	}
	return false
}

func sameStep(a, b report.Access) bool {
	return sameLine(a, b) && a.Op == b.Op && a.Goroutine == b.Goroutine
}

// elsewhere is the id of a race that another test of the package showed between the same
// two functions on the same variable, be it at other lines; "" if there is none.
func (s *session) elsewhere(f *report.Finding) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, host := range s.rep.Findings {
		if host.SameAs == "" && host.Package == f.Package && host.Entry != f.Entry && host.Kind == raced && f.Kind == raced && sameFunctions(host.RootCause, f.RootCause) {
			return host.ID
		}
	}
	return ""
}

// sameFunctions is true of the accesses of two races between the same two functions,
// neither of a test, on the same variable: one side lacks the lock, or both.
func sameFunctions(a, b []report.Access) bool {
	same := func(x, y report.Access) bool {
		return x.Func != "" && x.Func == y.Func && x.Var != "" && x.Var == y.Var && (x.Op == "read") == (y.Op == "read") && !strings.HasSuffix(x.File, "_test.go")
	}
	if len(a) != 2 || len(b) != 2 {
		return false
	}
	return same(a[0], b[0]) && same(a[1], b[1]) || same(a[0], b[1]) && same(a[1], b[0])
}

// coveredBy is the published finding that tells of the bug that f shows; nil if there
// is none. Of two that cover each other the one that was published first stays.
func (s *session) coveredBy(f *report.Finding) *report.Finding {
	s.mu.Lock()
	defer s.mu.Unlock()
	published := slices.ContainsFunc(s.rep.Findings, func(x *report.Finding) bool { return x.ID == f.ID })
	for _, host := range s.rep.Findings {
		if covers(host, f) && !(published && covers(f, host)) {
			return host
		}
	}
	return nil
}

// isAnotherSign names a finding with the published one whose bug it shows, and is false
// if there is none.
func (s *session) isAnotherSign(f *report.Finding) bool {
	host := s.coveredBy(f)
	if host == nil {
		return false
	}
	s.takeBack(f.ID, host.ID)
	host = shallow(host)
	s.name(host, addAlso(host.Also, f))
	s.publish(host)
	s.keepAgain(host)
	return true
}

// gather takes back the published findings that f covers, and names them with it.
func (s *session) gather(f *report.Finding) {
	s.mu.Lock()
	var others []*report.Finding
	for _, o := range s.rep.Findings {
		if covers(f, o) {
			others = append(others, o)
		}
	}
	also := s.also[f.ID]
	s.mu.Unlock()
	for _, o := range others {
		also = addAlso(also, o)
		s.takeBack(o.ID, f.ID)
	}
	s.name(f, also)
}

// takeBack removes a finding, for whatever failure it was published. Those of other
// targets with the same cause name the finding of id host in its place.
func (s *session) takeBack(id, host string) {
	s.mu.Lock()
	maps.DeleteFunc(s.ids, func(_ *search.Finding, of string) bool { return of == id })
	s.hosts[id] = host
	var changed []*report.Finding
	for i, f := range s.rep.Findings {
		if f.SameAs == id {
			f = shallow(f)
			f.SameAs = host
			s.rep.Findings[i] = f
			changed = append(changed, f)
		}
	}
	s.mu.Unlock()
	for _, f := range changed {
		s.keepAgain(f)
	}
	s.withdraw(id)
}

// told is the id of the finding that tells of the bug for which one of that id was
// published.
func (s *session) told(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range len(s.hosts) { // two can have covered each other, one after the other
		host, ok := s.hosts[id]
		if !ok || slices.ContainsFunc(s.rep.Findings, func(f *report.Finding) bool { return f.ID == id }) {
			break
		}
		id = host
	}
	return id
}

// name enters what else a bug leads to.
func (s *session) name(f *report.Finding, also []report.Also) {
	if len(also) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.also[f.ID] = also
	f.Also = also
	if f.Confirmed == report.Controlled && slices.ContainsFunc(also, func(a report.Also) bool { return a.Kind == raced }) {
		f.Confirmed = report.RaceProved // its own accesses race, which is proved
	}
}

func addAlso(also []report.Also, f *report.Finding) []report.Also {
	a := report.Also{Kind: f.Kind, Message: f.Message}
	for i, o := range also {
		if o.Kind != a.Kind {
			continue
		}
		if strings.HasPrefix(o.Message, a.Message) {
			return also
		}
		if strings.HasPrefix(a.Message, o.Message) { // before it was looked into
			also = slices.Clone(also)
			also[i] = a
			return also
		}
	}
	return append(slices.Clip(also), a)
}
