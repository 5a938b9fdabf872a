package server

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/hocket-dev/hocket/lsp/files"
	"github.com/hocket-dev/hocket/lsp/jobs"
	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// lensFeature puts commands above tests, examples and main functions, and asks
// the client to ask again when they have changed.
func (s *Server) lensFeature() *feature {
	changed, last := newBell(), ""
	return &feature{
		name:         "codeLens",
		requests:     map[string]prepareFunc{protocol.MethodTextDocumentCodeLens: onRequest(s, s.codeLens)},
		capabilities: func(c *protocol.ServerCapabilities) { c.CodeLensProvider = &protocol.CodeLensOptions{} },
		ready: func(context.Context) {
			s.Go(func(ctx context.Context) { s.refreshLenses(ctx, changed) })
		},
		refresh: func(_ context.Context, v View) {
			// The progress of a job changes no lens.
			if now := s.lensSignature(v); now != last {
				last = now
				changed.ring()
			}
		},
	}
}

// refreshLenses asks the client one time after the other, since a client may
// answer late.
func (s *Server) refreshLenses(ctx context.Context, changed *bell) {
	for changed.wait(ctx) {
		if !s.session.lensRefresh {
			continue
		}
		asking, cancel := context.WithTimeout(ctx, responseTimeout)
		switch err := s.client.CodeLensRefresh(asking); {
		case err != nil && asking.Err() == nil:
			s.log.Warn("the client does not refresh its lenses", "err", err)
		case err != nil: // busy: what it shows may be old
			changed.ring()
		}
		cancel()
	}
}

// lensSignature is equal as long as the lenses are, edits of texts left aside:
// clients ask again after those by themselves.
func (s *Server) lensSignature(v View) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%+v\n", v.Settings.CodeLenses)
	for _, m := range sortedModules(s.Modules()) {
		fmt.Fprintf(&b, "%s %s\n", m.Root(), m.version())
	}
	fmt.Fprintf(&b, "%d %d\n", s.conflicts.Version(), s.verdicts.changes())
	for _, j := range s.allJobs() {
		fmt.Fprintf(&b, "%s %s\n", j.ID, j.Status)
	}
	return b.String()
}

func (s *Server) codeLens(ctx context.Context, v View, p *protocol.CodeLensParams) ([]protocol.CodeLens, error) {
	out := []protocol.CodeLens{}
	if path.Ext(string(p.TextDocument.URI)) != ".go" {
		return s.fromLenses(v, p.TextDocument.URI), nil
	}
	at, ok := s.shown(ctx, v, p.TextDocument.URI)
	if !ok {
		return out, ctx.Err()
	}
	set := v.Settings.CodeLenses
	dir := filepath.Dir(at.file.Path)
	opt := present.LensOptions{Dir: dirOf(at.name), Find: set.Find, Replay: set.Replay, Explain: set.Explain, Debug: set.Debug && s.session.debugs, Job: s.jobsIn(dir)}
	opt.Verdict = func(entry string) string {
		if found := s.verdicts.get(v, dir, entry); found != nil {
			return found.line
		}
		return ""
	}
	for _, l := range present.Lenses(outlineOf(at.file), at.view.View, opt) {
		out = append(out, lensOf(at.file, l))
	}
	return append(out, s.breakLenses(ctx, v, at)...), ctx.Err()
}

// dirOf is the folder of a name, "" for the module's root.
func dirOf(name string) string {
	if dir := path.Dir(name); dir != "." {
		return dir
	}
	return ""
}

func lensOf(f *files.File, l present.Lens) protocol.CodeLens {
	r, _ := f.Mapper().GoLine(l.Line)
	c := protocol.Command{Title: l.Title}
	arg := map[string]any{"uri": f.URI}
	switch l.Action {
	case present.Find:
		c.Command, arg["entry"], arg["show"] = commandFind, l.Entry, true
	case present.Replay:
		c.Command, arg["id"], arg["show"] = commandReplay, l.ID, true
	case present.Explain:
		c.Command, arg["id"] = commandExplain, l.ID
	case present.Debug:
		c.Command, arg["id"] = commandDebug, l.ID
	case present.Cancel:
		c.Command, arg = commandCancel, map[string]any{"job": l.Job}
	case present.Choose:
		c.Command, arg["entry"] = commandChoose, l.Entry
	case present.BreakSet:
		c.Command, arg["position"], arg["show"] = commandBreakSet, f.Mapper().GoPosition(l.Line, l.Column), true
	case present.BreakRun:
		c.Command, arg["id"], arg["show"] = commandBreakRun, l.ID, true
	case present.BreakDebug:
		c.Command, arg["id"] = commandBreakDebug, l.ID
	case present.BreakRemove:
		c.Command, arg["id"] = commandBreakRemove, l.ID
	case present.BreakOn:
		c.Command, arg["id"], arg["off"] = commandBreakEdit, l.ID, false
	}
	c.Arguments = []protocol.LSPAny{protocol.Any(arg)}
	return protocol.CodeLens{Range: r, Command: c}
}

// jobsIn finds the job on an entry of a package's folder, that on the whole
// package included.
func (s *Server) jobsIn(dir string) func(entry string) (present.Job, bool) {
	states := s.jobs.Snapshot()
	return func(entry string) (present.Job, bool) {
		for _, j := range states {
			if j.Key.Dir == dir && onEntry(j.Key, entry) {
				return present.Job{ID: j.ID, Replay: j.Key.Kind == "replay", Break: j.Key.Kind == kindBreakRun, Waiting: j.Status == jobs.Queued}, true
			}
		}
		return present.Job{}, false
	}
}

func onEntry(k jobs.Key, entry string) bool {
	whole := k.Kind == "find" && k.Entry == "" && k.Detail == ""
	return whole || k.Entry == entry || strings.HasPrefix(k.Entry, entry+"/")
}
