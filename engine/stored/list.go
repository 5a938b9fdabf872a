package stored

import (
	"context"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/target"
)

// Listed is a finding of a list, and what is known of it in the texts of today.
type Listed struct {
	*report.Finding
	// Outcome is what the last replay or search of these texts said, "" if there was none.
	Outcome Outcome `json:"outcome,omitempty"`
	// Changed are the files that are not as when it last ran: nothing is known since.
	Changed []string `json:"changed,omitempty"`
}

// listed says what is known of a finding; last is nil if it was not run again.
func listed(r *store.Record, last *store.Replay, roots site.Roots) Listed {
	l := Listed{Finding: r.Finding}
	asFound := r.Sources.Changed(roots)
	if last == nil {
		l.Changed = asFound
		return l
	}
	changed := append(last.Sources.Changed(roots), last.Path.Changed(roots)...)
	switch {
	case len(changed) == 0:
		l.Outcome = lastReplay(r, last).Outcome
	case len(asFound) > 0: // else the texts in which it was found are back
		l.Changed = changed
	}
	return l
}

// List returns the findings of the module around dir, newest first, and an
// error for each file that can't be read.
func List(ctx context.Context, dir string) ([]Listed, []error, error) {
	env, err := target.LoadEnv(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	st := store.OpenRead(env.Module)
	records, bad := st.List()
	var out []Listed
	for _, r := range records {
		last, err := st.LastReplay(r)
		if err != nil {
			bad = append(bad, err)
		}
		out = append(out, listed(r, last, env.Roots()))
	}
	return out, bad, nil
}
