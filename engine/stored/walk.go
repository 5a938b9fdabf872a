package stored

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/hocket-dev/hocket/engine/projection"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/source"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/trace"
)

// ErrNoWalk: a finding can't be shown step by step.
var ErrNoWalk = errors.New("can't be shown step by step")

// Walk reads the runs of a finding, to go through them step by step. It runs nothing.
func (m *Module) Walk(id string) (*projection.Walk, error) {
	r, err := m.store.Get(id)
	if err != nil {
		return nil, err
	}
	return walkOf(m.store, r, m.roots())
}

// Walk is the same for a finding that was opened.
func (a *Opened) Walk() (*projection.Walk, error) {
	return walkOf(a.Store, a.Record, a.Env.Roots())
}

func walkOf(st *store.Store, r *store.Record, roots site.Roots) (*projection.Walk, error) {
	id := r.Finding.ID
	var p *projection.Projection
	if err := json.Unmarshal(r.Projection, &p); err != nil || p == nil {
		return nil, fmt.Errorf("finding %s %w: it was cut short before it could be explained; run hocket find again", id, ErrNoWalk)
	}
	fail, err := LoadTrace(st, r, Failing, roots)
	if err != nil {
		return nil, fmt.Errorf("finding %s %w: %w; run hocket find again", id, ErrNoWalk, err)
	}
	in := projection.WalkInput{Rows: p.Rows, Fail: fail, Needs: projection.NeedsOf(r.Finding.Necessity), Core: r.Core, Roots: roots, Cut: fail.Truncated}
	if !told(p.Rows) {
		return nil, fmt.Errorf("finding %s %w: no row of its table is a recorded event, as in findings of earlier versions; run hocket find again", id, ErrNoWalk)
	}
	if in.Pass, err = LoadTrace(st, r, Passing, roots); err != nil && !errors.Is(err, store.ErrNoTrace) {
		return nil, err
	}
	if in.Files, err = filesThen(st, r, roots); err != nil {
		return nil, err
	}
	return projection.NewWalk(in), nil
}

// told reports whether rows know their events. There may be none: what waits for ever
// is no event.
func told(rows []projection.Row) bool {
	for _, r := range rows {
		if r.Event > 0 || r.PassEvent > 0 || r.Role == projection.Waits {
			return true
		}
	}
	return len(rows) == 0
}

// filesThen are the sources as they were when the finding was made; those of which the
// text was not kept are those of today.
func filesThen(st *store.Store, r *store.Record, roots site.Roots) (*source.Files, error) {
	texts, err := st.Texts(r)
	if err != nil {
		return nil, err
	}
	return source.NewFiles(func(path string) ([]byte, error) {
		if text, ok := texts[roots.Name(path)]; ok {
			return []byte(text), nil
		}
		return os.ReadFile(path)
	}), nil
}

// Failing reads the trace of the finding's failing run.
func (a *Opened) Failing() (*trace.Trace, error) {
	return LoadTrace(a.Store, a.Record, Failing, a.Env.Roots())
}
