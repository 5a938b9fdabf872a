package verify

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hocket-dev/hocket/engine/run"
)

// placeInSignature is a place as run.PlaceOf writes it: "pkg.fn (a.go:12)".
var placeInSignature = regexp.MustCompile(`\(([^():]+\.go):(\d+)\)`)

// moved is a signature of the program without the edit as it is with it: an edit moves
// the lines below it. A line that the edit replaced has no number any more, so that
// nothing is the same as what was there.
func (c *check) moved(signature string) string {
	return placeInSignature.ReplaceAllStringFunc(signature, func(place string) string {
		m := placeInSignature.FindStringSubmatch(place)
		n, err := strconv.Atoi(m[2])
		if err != nil {
			return place
		}
		for name, hs := range c.hunks {
			if filepath.Base(name) != m[1] {
				continue
			}
			if to := carried(hs, n); len(to) == 1 && !replaces(hs, n) {
				return "(" + m[1] + ":" + strconv.Itoa(to[0]) + ")"
			}
			return "(" + m[1] + ":?)"
		}
		return place
	})
}

// replaces reports whether a line is one that hunks replace.
func replaces(hs []hunk, line int) bool {
	return slices.ContainsFunc(hs, func(h hunk) bool { return h.From <= line && line < h.To })
}

// placesOf are the places of a signature; what they are sorted by depends on lines.
func placesOf(signature string) (head string, places []string) {
	head, rest, _ := strings.Cut(signature, " at ")
	places = strings.Split(rest, "; ")
	slices.Sort(places)
	return head, places
}

func sameSignature(a, b string) bool {
	ha, pa := placesOf(a)
	hb, pb := placesOf(b)
	return ha == hb && slices.Equal(pa, pb)
}

// isKnown reports whether a failure of the edited program is that of another finding, or
// one that stays.
func (c *check) isKnown(s run.Signature) bool {
	return slices.ContainsFunc(slices.Concat(c.Known, c.staying), func(k string) bool { return sameSignature(c.moved(k), s.String()) })
}

// isOther reports whether a failure of the program as it was is that of another finding, or
// one that stays.
func (c *check) isOther(s run.Signature) bool {
	return slices.ContainsFunc(slices.Concat(c.Known, c.staying), func(k string) bool { return sameSignature(k, s.String()) })
}

// concerns reports whether a finding is about a place where goroutines wait.
func concerns(signature, place string) bool {
	_, places := placesOf(signature)
	return slices.Contains(places, place)
}
