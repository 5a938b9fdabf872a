package verify

import (
	"context"
	"slices"

	"github.com/hocket-dev/hocket/engine/search"
)

const (
	otherSchedules = 100 // that another test is searched with
)

// others runs and searches the other tests that can come to what is changed. What they
// showed before the fix, too, is not its fault.
func (c *check) others(ctx context.Context) (string, error) {
	for _, t := range c.Others {
		if !c.Code.Reaches(t.Entry, c.files) {
			continue
		}
		is, err := c.with.plain(ctx, t, plainTime)
		if err != nil {
			return "", err
		}
		if is.failed {
			if was, err := c.Verifier.before.plain(ctx, t, plainTime); err != nil {
				return "", err
			} else if !was.failed {
				return t.Entry + " fails: " + is.why(), nil
			}
			c.tell(t.Entry + " fails as it did before")
			continue
		}
		out, err := c.search(ctx, c.with, t, 1, otherSchedules, false)
		if err != nil {
			return "", err
		}
		if len(out.Findings)+len(out.AlwaysLeaks) == 0 {
			continue
		}
		old, err := c.search(ctx, c.Verifier.before, t, 1, otherSchedules, false)
		if err != nil {
			return "", err
		}
		if new := c.newIn(out, old); new != "" {
			return t.Entry + " fails in some schedules: " + new, nil
		}
	}
	return "", nil
}

// newIn names a failure of a kind that the search before the fix did not show, or a place
// where every run leaves a goroutine behind that it did not before.
func (c *check) newIn(out, old *search.Outcome) string {
	for _, f := range out.Findings {
		if !slices.ContainsFunc(old.Findings, func(o search.Finding) bool { return o.Signature.Kind == f.Signature.Kind }) {
			return describe(&f)
		}
	}
	for _, place := range out.AlwaysLeaks {
		if !slices.ContainsFunc(old.AlwaysLeaks, func(was string) bool { return c.moved(was) == place }) {
			return "every run leaves a goroutine behind at " + place
		}
	}
	return ""
}
