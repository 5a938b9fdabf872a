package server

import (
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hocket-dev/hocket/breakpoints/breakfile"
	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/files"
	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// breaks are the concurrent breakpoints of a module, as last read, and the texts
// in which they were placed then. In other texts each side is looked for in its
// own file, once for each text; only when a side is lost or found there, all are
// placed anew, in the whole package. Safe for concurrent use.
type breaks struct {
	mu      sync.Mutex // held while they are read, too
	loaded  bool
	list    []*placedBreak
	problem string // why the file can't be read, "" if it can
	reads   int
}

// placedBreak is a breakpoint with what it was placed in. It never changes.
type placedBreak struct {
	*engine.Break
	sides []placedSide
}

type placedSide struct {
	present.Side
	key  sideKey
	file *files.File // the text that it was placed in; nil if there was none
}

// sideKey names a fingerprint: what is kept under it of a text is where it is.
type sideKey string

// parsedKey is what a text is kept under, parsed once for all fingerprints.
type parsedKey struct{}

func parsed(f *files.File) *breakfile.Text {
	return f.Derived(parsedKey{}, func() any { return breakfile.NewText([]byte(f.Text)) }).(*breakfile.Text)
}

// located is where a fingerprint is in a text.
type located struct {
	at   breakfile.Location
	lost string
}

// read reads the file and places all sides in the texts of a view.
func (b *breaks) read(ctx context.Context, v View, m *Module) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.load(ctx, v, m)
}

func (b *breaks) load(ctx context.Context, v View, m *Module) {
	b.reads++
	list, err := engine.Breaks(ctx, m.Root(), openTexts(v, m.Root()))
	switch {
	case ctx.Err() != nil:
		return
	case err != nil: // what was known is better than nothing
		b.loaded, b.problem = true, oneLine(err.Error())
		return
	}
	before := map[sideKey]present.Side{}
	for _, p := range b.list {
		for _, s := range p.sides {
			before[s.key] = s.Side
		}
	}
	b.loaded, b.problem, b.list = true, "", make([]*placedBreak, 0, len(list.Breaks))
	for _, br := range list.Breaks {
		b.list = append(b.list, place1(v, m, br, before))
	}
}

// place1 is a breakpoint as the façade has placed it.
func place1(v View, m *Module, br *engine.Break, before map[sideKey]present.Side) *placedBreak {
	out := &placedBreak{Break: br}
	for _, s := range br.Sides {
		raw, _ := json.Marshal(s.Place) //nolint:errcheck // of strings and numbers
		side := placedSide{key: sideKey(raw), Side: present.Side{File: s.Place.File, Path: s.Path, Lost: s.Lost, Text: s.Place.Text, Func: s.Place.Func}}
		if s.Lost != "" {
			side.missing(m, s.Place.Line, before)
		} else {
			side.put(s.Location)
			if name, ok := m.nameIn(s.Path); ok && below(s.Path, m.Root()) {
				side.File = name // it may have moved to another one
			}
		}
		if f, ok := v.File(protocol.FileURI(side.Path)); ok {
			side.file = f
		}
		out.sides = append(out.sides, side)
	}
	return out
}

// missing says where a lost side was.
func (s *placedSide) missing(m *Module, line int, before map[sideKey]present.Side) {
	if was, ok := before[s.key]; ok {
		s.Path, s.Line, s.Column, s.EndLine, s.EndColumn = was.Path, was.Line, was.Column, was.EndLine, was.EndColumn
		return
	}
	s.Line, s.EndLine = line, line
	if s.Path == "" {
		s.Path, _ = m.path(s.File)
	}
}

func (s *placedSide) put(at breakfile.Location) {
	s.Line, s.Column, s.EndLine, s.EndColumn = at.Line, at.Column, at.EndLine, at.EndColumn
	s.Lost, s.Changed = "", ""
	if at.Changed {
		s.Changed = at.Why
	}
	if at.Text != "" {
		s.Text = at.Text
	}
	if at.Func != "" {
		s.Func = at.Func
	}
}

// in places the breakpoints in the texts of a view. stale reports whether they
// should be read again: a side is lost in its file now, or found there again.
func (b *breaks) in(ctx context.Context, v View, m *Module) (out []*present.Break, problem string, stale bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.loaded {
		b.load(ctx, v, m)
	}
	for _, p := range b.list {
		shown := &present.Break{Break: p.Break}
		for i := range p.sides {
			s, changed := p.sides[i].in(v, p.Break.Sides[i].Place)
			shown.Places = append(shown.Places, s)
			stale = stale || changed
		}
		out = append(out, shown)
	}
	return out, b.problem, stale
}

// in is the side in the text that its file has in a view.
func (s *placedSide) in(v View, p breakfile.Place) (now present.Side, turned bool) {
	f, ok := v.File(protocol.FileURI(s.Path))
	if !ok {
		f = nil
	}
	if f == s.file || s.Path == "" {
		return s.Side, false
	}
	moved := *s
	if f == nil {
		moved.Lost = "its file is gone"
	} else if l := locate(f, s.key, p); l.lost != "" {
		moved.Lost = l.lost
	} else {
		moved.put(l.at)
	}
	return moved.Side, (moved.Lost == "") != (s.Lost == "")
}

// locate looks for a fingerprint in a text, once.
func locate(f *files.File, key sideKey, p breakfile.Place) located {
	return f.Derived(key, func() any {
		at, err := parsed(f).Locate(p)
		if err != nil {
			return located{lost: oneLine(err.Error())}
		}
		return located{at: at}
	}).(located)
}

// version is another one after each reading.
func (b *breaks) version() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.reads
}

// openTexts are the open Go files below a folder.
func openTexts(v View, root string) map[string]string {
	texts := map[string]string{}
	for f := range v.Files.All {
		if f.Path != "" && !f.Broken && strings.HasSuffix(f.Path, ".go") && below(f.Path, root) {
			texts[f.Path] = f.Text
		}
	}
	return texts
}

// breaksIn are the breakpoints of a module in the texts of a view.
func (s *Server) breaksIn(ctx context.Context, v View, m *Module) []*present.Break {
	list, _, _ := m.breaks.in(ctx, v, m)
	return list
}

// breaksLook is how often the file of the breakpoints is looked at.
const breaksLook = 250 * time.Millisecond

// watchBreaks follows the file of the breakpoints and that of the last results,
// whoever writes them, until ctx ends.
func (s *Server) watchBreaks(ctx context.Context, m *Module) {
	tick := time.NewTicker(breaksLook)
	defer tick.Stop()
	var known breakStamp
	for {
		if now := stampOf(m.Root()); !now.same(known) {
			known = now
			m.breaks.read(ctx, s.view(), m)
			s.Refresh()
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// breakStamp is the state of the files that tell of breakpoints, by name.
type breakStamp map[string]fs.FileInfo

func stampOf(root string) breakStamp {
	entries, err := os.ReadDir(filepath.Join(root, breakfile.Folder))
	if err != nil {
		return nil
	}
	out := breakStamp{}
	for _, e := range entries {
		if !strings.Contains(e.Name(), "break") || e.IsDir() {
			continue
		}
		if info, err := e.Info(); err == nil {
			out[e.Name()] = info
		}
	}
	return out
}

// same compares the files' identity, size and time stamp: a file replaced by
// renaming is another one, even within the grain of the time stamps.
func (a breakStamp) same(b breakStamp) bool {
	return maps.EqualFunc(a, b, func(x, y fs.FileInfo) bool {
		return x.Size() == y.Size() && x.ModTime().Equal(y.ModTime()) && os.SameFile(x, y)
	})
}
