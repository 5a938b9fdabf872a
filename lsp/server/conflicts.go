package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/files"
	"github.com/hocket-dev/hocket/lsp/jobs"
	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

const commandConflicts = "hocket.conflicts"

type conflictsArguments struct {
	URI string `json:"uri"` // any file of the package
	delivery
}

type conflictsAnswer struct {
	Package string         `json:"package"`
	Pairs   []conflictPair `json:"pairs"` // most suspicious first
	Note    string         `json:"note"`  // what was left out, and why
	Message string         `json:"message"`
}

type conflictPair struct {
	Kind  string      `json:"kind"`
	What  string      `json:"what"`
	Why   string      `json:"why"`
	Score float64     `json:"score"`
	Sides []candidate `json:"sides"`
}

// conflicts are what is known of packages. Safe for concurrent use.
type conflicts struct {
	mu    sync.Mutex
	byDir map[string]*packageConflicts
	puts  int
}

func newConflicts() *conflicts {
	return &conflicts{byDir: map[string]*packageConflicts{}}
}

// packageConflicts are the conflicts of a package, as last computed. They never
// change.
type packageConflicts struct {
	*present.Conflicts
	module *Module
	report conflictsAnswer // without its pairs
}

// packageOf is what the conflicts of a file are kept under: its folder.
func packageOf(path string) string { return filepath.Dir(path) }

func (c *conflicts) of(dir string) (*packageConflicts, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.byDir[dir]
	return p, p != nil
}

func (c *conflicts) put(dir string, p *packageConflicts) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byDir[dir] = p
	c.puts++
}

// version is another one after each change.
func (c *conflicts) version() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.puts
}

// findConflicts looks for the conflicts of a package, by a child.
func (s *Server) findConflicts(ctx context.Context, c call, a *conflictsArguments) (any, error) {
	at, err := s.placeOf(commandConflicts, c.view, a.URI)
	if err != nil {
		return nil, err
	}
	w := s.conflictsJob(c.view, at.dir, at.root)
	w.delivery = a.delivery
	got, err := s.do(ctx, c, w)
	if known, ok := got.(*packageConflicts); ok && err == nil {
		return known.answer(s.view()), nil
	}
	return got, err
}

// conflictsNow looks for the conflicts of a statement's package. note says why
// they are not known; the error is that the request was cancelled.
func (s *Server) conflictsNow(ctx context.Context, c call, at *statement) (known *packageConflicts, note string, err error) {
	root, ok := engine.FindModule(at.file.Path)
	if !ok {
		return nil, "the file is in no module", nil
	}
	got, err := s.do(ctx, c, s.conflictsJob(c.view, packageOf(at.file.Path), root))
	var answer *protocol.Error
	switch {
	case errors.As(err, &answer) && answer.Code == protocol.RequestFailed:
		return nil, answer.Message, nil
	case err != nil:
		return nil, "", err
	}
	known, _ = got.(*packageConflicts)
	return known, "", nil
}

// vetLimit is when a look for conflicts counts as hung.
const vetLimit = 10 * time.Minute

// kindVet is the kind of the jobs that look for conflicts.
const kindVet = "vet"

func (s *Server) conflictsJob(v View, dir, root string) heavy {
	job := s.childJob(jobs.Job{
		Key:   jobs.Key{Kind: kindVet, Dir: dir},
		Title: "hocket: conflicts of package " + filepath.Base(dir),
		Limit: vetLimit,
	}, child{dir: dir, set: v.Settings, texts: unsaved(v.Files, root), args: func(overlay string) []string {
		return append(append(append([]string{"vet"}, watched()...), readFlags(v.Settings, overlay)...), ".")
	}})
	return heavy{job: job, quick: true, conclude: func(output json.RawMessage) (*outcome, error) {
		var rep engine.ConflictReport
		if err := json.Unmarshal(output, &rep); err != nil {
			return nil, fmt.Errorf("the report can't be read: %w", err)
		}
		m := s.workspace.modules.open(root)
		known := newPackageConflicts(m, &rep, textsOf(m, &rep, v.Files))
		s.conflicts.put(dir, known)
		s.Refresh()
		return &outcome{known, known.report.Message, protocol.MessageTypeInfo}, nil
	}}
}

// textsOf are the texts that a report is about, by name.
func textsOf(m *Module, rep *engine.ConflictReport, docs *files.Snapshot) map[string]string {
	texts := map[string]string{}
	add := func(name string) {
		if _, ok := texts[name]; ok {
			return
		}
		if f, ok := m.file(View{Files: docs}, name); ok {
			texts[name] = f.Text
		}
	}
	for _, p := range rep.Pairs {
		for _, side := range p.Sides {
			add(side.File)
		}
		if p.Then != nil {
			add(p.Then.File)
		}
	}
	return texts
}

func newPackageConflicts(m *Module, rep *engine.ConflictReport, texts map[string]string) *packageConflicts {
	out := &packageConflicts{Conflicts: present.NewConflicts(rep, texts), module: m}
	out.report = conflictsAnswer{Package: rep.Package}
	out.report.Message = fmt.Sprintf("%s: %s of places that may conflict", rep.Package, plural(len(rep.Pairs), "pair"))
	if n := len(rep.Cycles); n > 0 {
		out.report.Message += fmt.Sprintf(", %s of locks", plural(n, "cycle"))
	}
	if len(rep.Errors) > 0 {
		out.report.Note = oneLine(rep.Errors[0])
		if n := len(rep.Errors) - 1; n > 0 {
			out.report.Note += fmt.Sprintf("; %d more", n)
		}
		out.report.Message += "; " + out.report.Note
	}
	return out
}

// maxListed bounds what a client is told of a package.
const maxListed = 500

// answer is the conflicts in the texts of a view.
func (p *packageConflicts) answer(v View) *conflictsAnswer {
	ans := p.report
	ans.Pairs = []conflictPair{}
	for _, pair := range p.All(p.text(v)) {
		if len(ans.Pairs) == maxListed {
			break
		}
		w := conflictPair{Kind: string(pair.Pair.Kind), What: pair.Pair.What, Why: pair.Pair.Why, Score: pair.Pair.Score}
		for _, side := range pair.Sides {
			if c, ok := p.candidate(v, present.Partner{Access: side, Pair: pair.Pair}); ok {
				w.Sides = append(w.Sides, c)
			}
		}
		if len(w.Sides) == 2 {
			ans.Pairs = append(ans.Pairs, w)
		}
	}
	return &ans
}

// text gives the texts of a view by name.
func (p *packageConflicts) text(v View) func(name string) (string, bool) {
	return func(name string) (string, bool) {
		f, ok := p.module.file(v, name)
		if !ok {
			return "", false
		}
		return f.Text, true
	}
}

// partners are the places that conflict with what is on the lines from..to.
func (p *packageConflicts) partners(v View, path string, from, to int) []present.Partner {
	name, ok := p.module.nameIn(path)
	if !ok {
		return nil
	}
	return p.Partners(name, from, to, p.text(v))
}

func (p *packageConflicts) candidate(v View, other present.Partner) (candidate, bool) {
	f, ok := p.module.file(v, other.File)
	if !ok {
		return candidate{}, false
	}
	return candidate{URI: f.URI, Range: rangeOf(f.Mapper(), other.At), Label: other.Label(),
		Detail: other.Pair.Why + "; " + other.Detail(), Kind: string(other.Pair.Kind)}, true
}
