package breakview

import (
	"github.com/hocket-dev/hocket/lsp/files"
	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// View is the breakpoints of a module in the texts of a snapshot.
type View struct {
	Breaks  []*present.Break
	Problem string // why the file of breakpoints can't be read, "" if it can
	Stale   bool   // a side is lost in its file now, or found there again: Read

	module Module
	docs   *files.Snapshot
}

// Side is a side of a breakpoint.
type Side struct {
	*present.Break
	Number int // from 1
}

// Place is where the side is.
func (s Side) Place() *present.Side { return &s.Places[s.Number-1] }

// Find is the breakpoint of an id.
func (v *View) Find(id string) (*present.Break, bool) {
	for _, b := range v.Breaks {
		if b.ID == id {
			return b, true
		}
	}
	return nil, false
}

// On are the sides that have something on the lines from..to of a file.
func (v *View) On(path string, from, to int) (out []Side) {
	for _, b := range v.Breaks {
		for i := range b.Places {
			if b.Places[i].On(path, from, to) {
				out = append(out, Side{b, i + 1})
			}
		}
	}
	return out
}

// At are the sides whose statements an offset of a text is in.
func (v *View) At(f *files.File, offset int) (out []Side) {
	m := f.Mapper()
	line, _ := m.GoLineColumn(offset)
	for _, s := range v.On(f.Path, line, line) {
		p := s.Place()
		if m.GoOffset(p.Line, p.Column) <= offset && offset < m.GoOffset(p.EndLine, p.EndColumn) {
			out = append(out, s)
		}
	}
	return out
}

// Range is where a side is in the text of its file; its whole line, or the last
// line before it that is there, if it is lost.
func Range(f *files.File, s *present.Side) protocol.Range {
	m := f.Mapper()
	if s.Column > 0 {
		return protocol.Range{Start: m.GoPosition(s.Line, s.Column), End: m.GoPosition(s.EndLine, s.EndColumn)}
	}
	return lineRange(m, s.Line)
}

// lineRange is a line, or the last line before it that is there.
func lineRange(m *protocol.Mapper, line int) protocol.Range {
	for ; line > 1; line-- {
		if r, ok := m.GoLine(line); ok {
			return r
		}
	}
	r, _ := m.GoLine(1)
	return r
}
