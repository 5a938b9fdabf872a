package verify

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/trace"
)

// mostFaults is how many failures of the program without an edit are looked for.
const mostFaults = 20

// notice adds what a search found with the edit, and what the program did without it,
// too, to what stays: bugs of their own.
func (c *check) notice(ctx context.Context, out *search.Outcome) error {
	for _, f := range out.Findings {
		if c.isKnown(f.Signature) || run.SameButLines(f.Signature.String(), c.Signature) {
			continue
		}
		earlier, err := c.earlier(ctx)
		if err != nil {
			return err
		}
		for _, was := range earlier {
			if sameSignature(c.moved(was.String()), f.Signature.String()) && c.apart(was) {
				c.staying = append(c.staying, was.String())
			}
		}
	}
	return nil
}

// earlier are the failures of the program without an edit, looked for once.
func (v *Verifier) earlier(ctx context.Context) ([]run.Signature, error) {
	v.faulted.Do(func() {
		var out *search.Outcome
		if out, v.faultsErr = v.searchPast(ctx, v.before, v.Target, 1, v.Least, false, mostFaults); v.faultsErr != nil {
			return
		}
		for _, f := range out.Findings {
			v.faults = append(v.faults, f.Signature)
		}
	})
	return v.faults, v.faultsErr
}

// apart reports whether a failure of the program without an edit is no sign of what the
// edit is to mend: not what the finding's check says in other words, and no race at a line
// of its cause, unless goroutines wait for ever, which a race does not do.
func (c *check) apart(was run.Signature) bool {
	waits := c.Finding.Kind == string(trace.Deadlocked) || c.Finding.Kind == string(trace.Leaked)
	at := c.Finding.Failure
	if was.Kind != trace.Raced {
		return at.File == "" || !strings.Contains(was.String(), placeOf(at.File, at.Line))
	}
	return waits || !slices.ContainsFunc(c.Finding.RootCause, func(a report.Access) bool {
		return strings.Contains(was.String(), placeOf(a.File, a.Line))
	})
}

// placeOf is a place as it ends in a signature.
func placeOf(file string, line int) string { return fmt.Sprintf("(%s:%d)", filepath.Base(file), line) }
