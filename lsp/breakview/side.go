package breakview

import (
	"encoding/json"

	"github.com/hocket-dev/hocket/breakpoints/breakfile"
	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/internal/words"
	"github.com/hocket-dev/hocket/lsp/files"
	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// foundBreak is a breakpoint with its sides where they were found when it was
// read. It never changes.
type foundBreak struct {
	*engine.Break
	sides []foundSide
}

type foundSide struct {
	present.Side
	key  sideKey
	file *files.File // the text that it was found in; nil if there was none
}

// sideKey names a fingerprint; where that is in a text is kept with the text
// under it.
type sideKey string

func keyOf(p breakfile.Place) sideKey {
	raw, _ := json.Marshal(p) //nolint:errcheck // of strings and numbers
	return sideKey(raw)
}

// found is a breakpoint where the engine has found it. before has the sides as
// they were known, for those that are lost.
func found(m Module, docs *files.Snapshot, br *engine.Break, before map[sideKey]present.Side) *foundBreak {
	out := &foundBreak{Break: br}
	for _, s := range br.Sides {
		side := foundSide{key: keyOf(s.Place), Side: present.Side{File: s.Place.File, Path: s.Path, Lost: s.Lost, Text: s.Place.Text, Func: s.Place.Func}}
		if s.Lost != "" {
			side.lostAt(m, s.Place.Line, before)
		} else {
			side.foundAt(s.Location)
			if name, ok := m.Name(s.Path); ok && files.Below(s.Path, m.Root()) {
				side.File = name // it may have moved to another one
			}
		}
		if f, ok := docs.File(protocol.FileURI(side.Path)); ok {
			side.file = f
		}
		out.sides = append(out.sides, side)
	}
	return out
}

// lostAt says where a lost side was: where it was last seen, else at the line of
// the file of breakpoints.
func (s *foundSide) lostAt(m Module, line int, before map[sideKey]present.Side) {
	if was, ok := before[s.key]; ok {
		s.Path, s.Line, s.Column, s.EndLine, s.EndColumn = was.Path, was.Line, was.Column, was.EndLine, was.EndColumn
		return
	}
	s.Line, s.EndLine = line, line
	if s.Path == "" {
		s.Path, _ = m.Path(s.File)
	}
}

func (s *foundSide) foundAt(at breakfile.Location) {
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

// in is the side in the text that its file has in a snapshot. turned reports that
// it is lost now and was not, or the other way round.
func (s *foundSide) in(docs *files.Snapshot, p breakfile.Place) (now present.Side, turned bool) {
	f, ok := docs.File(protocol.FileURI(s.Path))
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
		moved.foundAt(l.at)
	}
	return moved.Side, (moved.Lost == "") != (s.Lost == "")
}

// located is where a fingerprint is in a text, or why it is not.
type located struct {
	at   breakfile.Location
	lost string
}

// locate looks for a fingerprint in a text, once.
func locate(f *files.File, key sideKey, p breakfile.Place) located {
	return f.Derived(key, func() any {
		at, err := parsed(f).Locate(p)
		if err != nil {
			return located{lost: words.OneLine(err.Error())}
		}
		return located{at: at}
	}).(located)
}

// parsedKey is what a text is kept under, parsed once for all fingerprints.
type parsedKey struct{}

func parsed(f *files.File) *breakfile.Text {
	return f.Derived(parsedKey{}, func() any { return breakfile.NewText([]byte(f.Text)) }).(*breakfile.Text)
}
