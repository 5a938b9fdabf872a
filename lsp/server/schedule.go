package server

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/files"
	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// commandSchedule answers the two runs of a finding, to go through them step by step.
const commandSchedule = "hocket.schedule"

type (
	scheduleArguments struct {
		ID       string         `json:"id"`
		URI      string         `json:"uri"`
		Position *position      `json:"position"` // of the finding, if it is not named
		Unfold   []unfoldedPart `json:"unfold"`   // steps to show that are folded otherwise
		Show     bool           `json:"show"`     // open it as a document
	}
	unfoldedPart struct {
		Run  string `json:"run"` // "failing" or "passing"
		From int    `json:"from"`
		To   int    `json:"to"` // both included
	}
	scheduleAnswer struct {
		ID       string `json:"id"`
		Entry    string `json:"entry"`
		Title    string `json:"title"`
		Sentence string `json:"sentence"`
		MustNot  string `json:"must"`
		State    string `json:"state"` // what is to be known of the finding, such as "changed since found"; often ""
		Note     string `json:"note"`  // why there is less than all steps; often ""
		engine.WalkView
		Failing  []scheduleStep `json:"failing"`
		Passing  []scheduleStep `json:"passing"`
		SVG      string         `json:"svg"`
		Markdown string         `json:"markdown"`
	}
	// scheduleStep is a step at its place in today's texts.
	scheduleStep struct {
		engine.WalkStep
		Location  *protocol.Location `json:"location,omitempty"`
		Elsewhere []standing         `json:"elsewhere,omitempty"`
	}
	standing struct {
		Goroutine string            `json:"goroutine"`
		Location  protocol.Location `json:"location"`
	}
)

func (a *scheduleArguments) check() error {
	for _, r := range a.Unfold {
		if r.Run != "failing" && r.Run != "passing" {
			return invalid(commandSchedule, "invalid run %q of what to unfold: it must be failing or passing", r.Run)
		}
	}
	return namesFinding(commandSchedule, a.ID, a.URI, a.Position)
}

// schedule answers at once: what it shows was recorded when the finding was made.
func (s *Server) schedule(ctx context.Context, c call, a *scheduleArguments) (any, error) {
	m, found, err := s.findingFor(ctx, commandSchedule, c.view, a.ID, a.URI, a.Position)
	if err != nil {
		return nil, err
	}
	var open []engine.WalkRange
	for _, r := range a.Unfold {
		open = append(open, engine.WalkRange{Passing: r.Run == "passing", From: r.From, To: r.To})
	}
	v, note, err := s.walks.view(m, found, open)
	if err != nil {
		return nil, protocol.Errorf(protocol.RequestFailed, "%s: %v", commandSchedule, err)
	}
	f := found.Finding
	ans := &scheduleAnswer{ID: f.ID, Entry: f.Entry, Title: f.Headline(), Sentence: found.Explanation.Sentence, MustNot: found.Explanation.MustNot,
		Note: note, WalkView: *v, SVG: engine.DrawWalk(v), Markdown: v.Markdown()}
	for _, it := range s.placed(ctx, c.view, m).Items() {
		if it.Finding.ID == f.ID {
			ans.State = it.About()
		}
	}
	p := newPlacedSteps(c.view, m, found)
	ans.Failing, ans.Passing = p.steps(v.Failing), p.steps(v.Passing)
	if a.Show {
		s.showSchedule(ctx, ans)
	}
	return ans, nil
}

// showSchedule opens the steps as a document: for clients that have no view of their own.
func (s *Server) showSchedule(ctx context.Context, ans *scheduleAnswer) {
	text := "# " + ans.Entry + ": " + ans.Title + "\n\n" + ans.Sentence + "\n\n" + ans.Markdown
	if ans.Note != "" {
		text += "\n" + ans.Note + "\n"
	}
	path, err := keepDocument(ans.ID+"-steps.md", text)
	if err != nil {
		s.log.Warn("the steps of a schedule are not kept", "err", err)
		return
	}
	if !s.session.showDocument {
		s.say(ctx, protocol.MessageTypeInfo, "the steps of the schedule are in "+path)
		return
	}
	s.showDocument(ctx, protocol.FileURI(path), false)
}

// walks keeps the latest walks: reading the runs of a finding takes longer than looking
// at another part of them. Safe for concurrent use.
type walks struct {
	mu     sync.Mutex
	latest []keptWalk // the last one used at the end
}

type keptWalk struct {
	of   *engine.Stored // changes when the finding does
	walk *engine.Walk
}

const maxWalks = 6

func (w *walks) view(m *Module, found *engine.Stored, open []engine.WalkRange) (v *engine.WalkView, note string, err error) {
	if found.Explanation == nil {
		return nil, "", errors.New("finding " + found.Finding.ID + " was cut short before it could be explained; run hocket.find again")
	}
	walk, err := w.of(m, found)
	switch {
	case errors.Is(err, engine.ErrNoWalk): // then the table
		return engine.WalkOfTable(found.Explanation), err.Error(), nil
	case err != nil:
		return nil, "", err
	}
	v = walk.View(open)
	if v.Cut {
		note = "The run is longer than what was recorded of it: later steps are missing."
	}
	return v, note, nil
}

func (w *walks) of(m *Module, found *engine.Stored) (*engine.Walk, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, k := range w.latest {
		if k.of == found {
			w.latest = append(slices.Delete(w.latest, i, i+1), k)
			return k.walk, nil
		}
	}
	walk, err := m.Walk(found.Finding.ID)
	if err != nil {
		return nil, err
	}
	if len(w.latest) == maxWalks {
		w.latest = slices.Delete(w.latest, 0, 1)
	}
	w.latest = append(w.latest, keptWalk{found, walk})
	return walk, nil
}

// placedSteps finds the places of steps in today's texts.
type placedSteps struct {
	m     *Module
	view  View
	then  *present.Then
	files map[string]*files.File // by name, nil for those that are not there
}

func newPlacedSteps(v View, m *Module, found *engine.Stored) *placedSteps {
	p := &placedSteps{m: m, view: v, files: map[string]*files.File{}}
	p.then = present.NewThen(found.Texts, func(name string) (string, bool) {
		if f := p.file(name); f != nil {
			return f.Text, true
		}
		return "", false
	})
	return p
}

func (p *placedSteps) file(name string) *files.File {
	f, ok := p.files[name]
	if !ok {
		if path, known := p.m.Abs(name); known {
			f, _ = p.view.Files.File(protocol.FileURI(path))
		}
		p.files[name] = f
	}
	return f
}

func (p *placedSteps) steps(all []engine.WalkStep) []scheduleStep {
	out := []scheduleStep{}
	for _, s := range all {
		step := scheduleStep{WalkStep: s, Location: p.at(s.File, s.Line)}
		for _, e := range s.Elsewhere {
			if at := p.at(e.File, e.Line); at != nil {
				step.Elsewhere = append(step.Elsewhere, standing{e.Goroutine, *at})
			}
		}
		out = append(out, step)
	}
	return out
}

func (p *placedSteps) at(name string, line int) *protocol.Location {
	if line == 0 {
		return nil
	}
	span, ok := p.then.At(name, line)
	if !ok {
		return nil
	}
	f := p.file(name)
	r := f.Mapper()
	return &protocol.Location{URI: f.URI, Range: protocol.Range{
		Start: r.GoPosition(span.Line, span.Start), End: r.GoPosition(span.Line, span.End)}}
}
