package present

import "github.com/hocket-dev/hocket/internal/words"

// Standing says in one word how a test, example or main function stands in today's
// texts.
type Standing string

const (
	Failing  Standing = "failing"  // a finding is of today's text
	Edited   Standing = "changed"  // it has findings, all of them of a text that was edited since
	Proved   Standing = "proved"   // a search covered all schedules, none fails
	Searched Standing = "searched" // a search found nothing, which proves nothing
	Mended   Standing = "fixed"    // it once failed, and a search of the changed text ended without it
	Outlived Standing = "older"    // what is known of it is of another text
)

// Summary is how an entry stands by its findings and by what the last search came to
// that found nothing ("" if there was none, or not of today's text), and that in a few
// words. Both are "" if nothing is known.
func Summary(items []*Item, verdict string, proved bool) (Standing, string) {
	of := map[State][]*Item{}
	for _, it := range items {
		of[it.State] = append(of[it.State], it)
	}
	failing := append(of[Current], of[Changed]...)
	fixed, older := of[Fixed], of[Older]
	switch {
	case len(failing) == 1:
		return failingOr(failing), "1 finding: " + Brief(failing[0].Finding) + since(failing)
	case len(failing) > 1:
		return failingOr(failing), words.Count(len(failing), "finding") + since(failing)
	case verdict != "" && proved:
		return Proved, verdict
	case verdict != "":
		return Searched, verdict
	case len(fixed) == 1:
		return Mended, "no longer fails: " + Brief(fixed[0].Finding)
	case len(fixed) > 1:
		return Mended, words.Count(len(fixed), "finding") + " no longer fail"
	case len(older) > 0:
		return Outlived, words.Count(len(older), "finding") + " of an older version"
	}
	return "", ""
}

func failingOr(items []*Item) Standing {
	if since(items) != "" {
		return Edited
	}
	return Failing
}

// Stands is the standing that a finding alone gives its entry.
func (it *Item) Stands() Standing {
	s, _ := Summary([]*Item{it}, "", false)
	return s
}
