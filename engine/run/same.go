package run

import (
	"regexp"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/trace"
)

// FailsAs reports whether a run fails as the signature says. Line numbers are
// ignored: an edit above changes them, and must not look like a fix. On
// unchanged sources the schedule decides the run, so that nothing is lost.
func FailsAs(r *Result, signature string) bool {
	return SameButLines(SignatureOf(r).String(), signature) ||
		slices.ContainsFunc(r.Races, func(p RacePair) bool {
			return SameButLines(RaceSignature(p).String(), signature)
		})
}

var lineOfPlace = regexp.MustCompile(`(\([^()]+):\d+\)`) // "f (a.go:12)", see PlaceOf

// SameButLines compares two signatures, as texts, without the line numbers. Those of
// races from an earlier Hocket also say what each side did.
func SameButLines(a, b string) bool { return withoutLines(a) == withoutLines(b) }

func withoutLines(s string) string {
	s = lineOfPlace.ReplaceAllString(s, "$1)")
	head, places, ok := strings.Cut(s, " at ")
	if !ok || !strings.HasPrefix(head, string(trace.Raced)+":") {
		return s
	}
	sides := strings.Split(places, "; ")
	for i, side := range sides {
		sides[i] = strings.TrimPrefix(strings.TrimPrefix(side, "read "), "write ")
	}
	slices.Sort(sides)
	return head + " at " + strings.Join(sides, "; ")
}

// PairOf is a race of a recorded run as a light run reports it.
func PairOf(t *trace.Trace, r trace.Race) RacePair {
	p := RacePair{FirstWrite: r.First.Write, SecondWrite: r.Second.Write}
	p.First, _ = t.UserFrame(r.First.Stack)
	p.Second, _ = t.UserFrame(r.Second.Stack)
	return p
}
