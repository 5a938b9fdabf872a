package server

import (
	"cmp"
	"context"
	"slices"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/lsp/jobs"
	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

type (
	listAnswer struct {
		Findings []listedFinding `json:"findings"` // of each module the surest and newest first
		Jobs     []listedJob     `json:"jobs"`     // in the order in which they run
	}
	listedFinding struct {
		ID       string             `json:"id"`
		Entry    string             `json:"entry"`
		Package  string             `json:"package"`
		Kind     string             `json:"kind"`
		Class    string             `json:"class"`
		Headline string             `json:"headline"`
		State    present.State      `json:"state"`
		Replay   report.Count       `json:"replay"`
		Level    report.Level       `json:"level"`
		Location *protocol.Location `json:"location,omitempty"` // absent if no line of the module is left
	}
	listedJob struct {
		ID    string      `json:"id"`
		Title string      `json:"title"`
		State jobs.Status `json:"state"` // "running" or "queued"
	}
)

// list answers what is known of a module, or of all that are open.
func (s *Server) list(ctx context.Context, c call, a *listArguments) (any, error) {
	ms := s.Modules()
	if a.URI != "" {
		at, err := s.placeOf(commandList, c.view, a.URI)
		if err != nil {
			return nil, err
		}
		ms = []*Module{s.workspace.modules.open(at.root)}
	}
	slices.SortFunc(ms, func(a, b *Module) int { return cmp.Compare(a.Root(), b.Root()) })
	ans := &listAnswer{Findings: []listedFinding{}, Jobs: []listedJob{}}
	for _, m := range ms {
		m.read() // found a moment ago, by any process, counts
		for _, it := range s.placed(ctx, c.view, m).Items() {
			ans.Findings = append(ans.Findings, listed(c.view, m, it))
		}
	}
	for _, st := range s.allJobs() {
		ans.Jobs = append(ans.Jobs, listedJob{st.ID, st.Title, st.Status})
	}
	return ans, nil
}

func listed(v View, m *Module, it *present.Item) listedFinding {
	f := it.Finding
	failed, runs := it.Replayed()
	return listedFinding{ID: f.ID, Entry: f.Entry, Package: f.Package, Kind: f.Kind, Class: f.Class,
		Headline: f.Headline(), State: it.State, Replay: report.Count{Runs: runs, Failed: failed},
		Level: f.Confirmed, Location: locationOf(v, m, it)}
}

// locationOf is where a finding is best looked at in today's text.
func locationOf(v View, m *Module, it *present.Item) *protocol.Location {
	name, span, ok := it.Location()
	if !ok {
		return nil
	}
	path, ok := m.Abs(name)
	if !ok {
		return nil
	}
	f, ok := v.Files.File(protocol.FileURI(path))
	if !ok {
		return nil
	}
	r := f.Mapper()
	return &protocol.Location{URI: f.URI, Range: protocol.Range{
		Start: r.GoPosition(span.Line, span.Start), End: r.GoPosition(span.Line, span.End)}}
}
