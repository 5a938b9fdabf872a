package server

import (
	"context"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/lsp/jobs"
	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

type (
	listAnswer struct {
		Findings []listedFinding `json:"findings"` // of each module the surest and newest first
		Verdicts []listedVerdict `json:"verdicts"` // entries of which a search of today's text found no failure
		Jobs     []listedJob     `json:"jobs"`     // in the order in which they run
	}
	listedFinding struct {
		ID       string             `json:"id"`
		Entry    string             `json:"entry"`
		Package  string             `json:"package"`
		Kind     string             `json:"kind"`
		Class    string             `json:"class"`
		Headline string             `json:"headline"`
		Brief    string             `json:"brief"` // what fails, in a few words
		About    string             `json:"about"` // what is to be known of it beside that, such as "changed since found"; often ""
		Stands   present.Standing   `json:"stands"`
		State    present.State      `json:"state"`
		Replay   report.Count       `json:"replay"`
		Level    report.Level       `json:"level"`
		Location *protocol.Location `json:"location,omitempty"` // absent if no line of the module is left
	}
	listedVerdict struct {
		Entry    string             `json:"entry"`
		Package  string             `json:"package"`
		Stands   present.Standing   `json:"stands"`             // "proved" or "searched"
		Line     string             `json:"line"`               // in a few words
		Message  string             `json:"message"`            // all of it
		Location *protocol.Location `json:"location,omitempty"` // of the entry
	}
	listedJob struct {
		ID    string      `json:"id"`
		Title string      `json:"title"`
		State jobs.Status `json:"state"` // "running" or "queued"
	}
)

// list answers what is known of a module, or of all that are open.
func (s *Server) list(ctx context.Context, c call, a *listArguments) (any, error) {
	ms, err := s.listedModules(commandList, c.view, a.URI)
	if err != nil {
		return nil, err
	}
	ans := &listAnswer{Findings: []listedFinding{}, Verdicts: []listedVerdict{}, Jobs: []listedJob{}}
	for _, m := range ms {
		m.read() // found a moment ago, by any process, counts
		for _, it := range s.placed(ctx, c.view, m).Items() {
			ans.Findings = append(ans.Findings, listed(c.view, m, it))
		}
		for _, o := range s.verdicts.holding(c.view, m.Root()) {
			ans.Verdicts = append(ans.Verdicts, listedVerdict{Entry: o.entry, Package: o.pkg, Stands: o.stands(), Line: o.line,
				Message: o.message, Location: entryLocation(c.view, o.dir, o.entry)})
		}
	}
	for _, st := range s.allJobs() {
		ans.Jobs = append(ans.Jobs, listedJob{st.ID, st.Title, st.Status})
	}
	return ans, nil
}

// listedModules is the module of a file or, without one, all that are open.
func (s *Server) listedModules(command string, v View, uri string) ([]*Module, error) {
	if uri == "" {
		return sortedModules(s.Modules()), nil
	}
	at, err := s.placeOf(command, v, uri)
	if err != nil {
		return nil, err
	}
	return []*Module{s.workspace.modules.open(at.root)}, nil
}

func listed(v View, m *Module, it *present.Item) listedFinding {
	f := it.Finding
	failed, runs := it.Replayed()
	return listedFinding{ID: f.ID, Entry: f.Entry, Package: f.Package, Kind: f.Kind, Class: f.Class,
		Headline: f.Headline(), Brief: present.Brief(f), About: it.About(), Stands: it.Stands(), State: it.State, Replay: report.Count{Runs: runs, Failed: failed},
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
