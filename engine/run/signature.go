package run

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/trace"
)

// Signature tells failures apart across schedules: two runs with equal
// signatures failed in the same way at the same place. It is comparable.
type Signature struct {
	Kind    trace.OutcomeKind
	Message string // numbers and addresses replaced
	Places  string // where it failed, or the places of the blocked goroutines
}

func (s Signature) String() string {
	return fmt.Sprintf("%s: %s at %s", s.Kind, s.Message, s.Places)
}

// SignatureOf returns the signature of r. For a leak or deadlock it is the set
// of places, not how many goroutines wait at each: that varies with the
// schedule.
func SignatureOf(r *Result) Signature {
	s := Signature{Kind: r.Outcome.Kind}
	switch r.Outcome.Kind {
	case trace.Passed, trace.StepLimit:
	case trace.Leaked, trace.Deadlocked:
		s.Places = strings.Join(sortedKeys(BlockedPlaces(r)), "; ")
	case trace.Livelock: // where in their loops they are cut off says nothing
		fns := map[string]int{}
		for _, at := range r.BlockedAt {
			fns[at.Func]++
		}
		s.Places = strings.Join(sortedKeys(fns), "; ")
	default:
		s.Message, s.Places = Normalize(r.Outcome.Message), PlaceOf(r.Place)
	}
	return s
}

// RaceSignature of a pair, the same for both orders of the accesses, and for what
// each does: of "n++" the read races as well as the write.
func RaceSignature(p RacePair) Signature {
	sides := []string{PlaceOf(p.First), PlaceOf(p.Second)}
	slices.Sort(sides)
	return Signature{Kind: trace.Raced, Places: strings.Join(sides, "; ")}
}

// Failed reports whether the run itself failed. Races are separate: a run may
// pass and race. Limits and hangs are no verdict, and so not a failure.
func (r *Result) Failed() bool {
	switch r.Outcome.Kind {
	case trace.Passed, trace.Raced, trace.StepLimit, trace.InternalErr, "":
		return false
	}
	return !r.Hang && !r.Loose
}

// Finished reports whether a run reached its end without failing before:
// passed, raced or leaked. Only such runs show which goroutines a test leaves
// behind; one that was cut off does not.
func (r *Result) Finished() bool {
	switch r.Outcome.Kind {
	case trace.Passed, trace.Raced, trace.Leaked:
		return !r.Hang && !r.Outcome.Cut && !r.Loose
	}
	return false
}

// BlockedPlaces counts the goroutines that are blocked forever, by place; where
// the place is unknown, by what they wait for.
func BlockedPlaces(r *Result) map[string]int {
	places := map[string]int{}
	for i, b := range r.Outcome.Blocked {
		p := b.Reason
		if i < len(r.BlockedAt) && r.BlockedAt[i] != (trace.Frame{}) {
			p = PlaceOf(r.BlockedAt[i])
		}
		places[p]++
	}
	return places
}

// PlaceOf is a frame as signatures show it, without the machine's folders.
func PlaceOf(f trace.Frame) string {
	if f == (trace.Frame{}) {
		return ""
	}
	return fmt.Sprintf("%s (%s:%d)", f.Func, filepath.Base(f.File), f.Line)
}

var (
	numbers = regexp.MustCompile(`0x[0-9a-fA-F]+|\d+`)
	slice   = regexp.MustCompile(`#(?: #)+`) // of numbers, as fmt prints it
)

// Normalize replaces what varies between equal failures: numbers, how many of them a
// slice has, addresses and white space; it keeps the first line.
func Normalize(message string) string {
	message, _, _ = strings.Cut(strings.TrimSpace(message), "\n")
	message = strings.Join(strings.Fields(numbers.ReplaceAllString(message, "#")), " ")
	return slice.ReplaceAllString(message, "#")
}

func sortedKeys(m map[string]int) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
