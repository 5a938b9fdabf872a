package breakview

import (
	"fmt"
	"path/filepath"

	"github.com/hocket-dev/hocket/breakpoints/breakfile"
	"github.com/hocket-dev/hocket/internal/words"
	"github.com/hocket-dev/hocket/lsp/files"
	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// Hint is something that is wrong with breakpoints, at a range of a text.
type Hint struct {
	File    *files.File
	Range   protocol.Range
	Code    string
	Message string
	Break   string // its id; "" for the file of breakpoints
}

// The codes of hints.
const (
	CodeLost    = "lost-breakpoint"
	CodeChanged = "changed-breakpoint"
	CodeWrong   = "wrong-breakpoint"
	CodeDamaged = "breakpoints-file"
)

// Hints say which sides can't be found any more, at the line where they were,
// and which ones read differently; which breakpoints have a value that is
// invalid; and why the file of the breakpoints can't be read. Where there is no
// text to put a hint on there is none: hocket break list shows it.
func (v *View) Hints() (out []Hint) {
	if v.Problem != "" {
		if f, ok := v.docs.File(protocol.FileURI(filepath.Join(v.module.Root(), breakfile.Folder, breakfile.Name))); ok {
			r, _ := f.Mapper().GoLine(1)
			out = append(out, Hint{File: f, Range: r, Code: CodeDamaged, Message: v.Problem})
		}
	}
	for _, b := range v.Breaks {
		if b.Off {
			continue
		}
		if h, ok := v.wrong(b); ok {
			out = append(out, h)
		}
		for i := range b.Places {
			if h, ok := v.lost(b, i); ok {
				out = append(out, h)
			}
		}
	}
	return out
}

// wrong is a hint on an invalid value, at the first statement that is found.
func (v *View) wrong(b *present.Break) (Hint, bool) {
	if b.Wrong == "" {
		return Hint{}, false
	}
	for i := range b.Places {
		side := &b.Places[i]
		f, ok := v.file(side)
		if !ok || side.Lost != "" {
			continue
		}
		message := fmt.Sprintf("breakpoint %s in %s/%s is invalid: %s", b.ID, breakfile.Folder, breakfile.Name, b.Wrong)
		return Hint{f, Range(f, side), CodeWrong, message, b.ID}, true
	}
	return Hint{}, false
}

// lost is a hint on a side that is lost or has changed.
func (v *View) lost(b *present.Break, i int) (Hint, bool) {
	side := &b.Places[i]
	f, ok := v.file(side)
	if !ok {
		return Hint{}, false
	}
	what := fmt.Sprintf("breakpoint %s, side %d of %d", b.ID, i+1, len(b.Places))
	switch {
	case side.Lost != "":
		message := fmt.Sprintf("%s is lost: %s (%s); set it again, or remove it", what, side.Lost, present.Clip(words.OneLine(side.Text), 60))
		return Hint{f, lineRange(f.Mapper(), side.Line), CodeLost, message, b.ID}, true
	case side.Changed != "":
		message := fmt.Sprintf("%s has changed: %s; accept the new text (code action), or set it again", what, side.Changed)
		return Hint{f, Range(f, side), CodeChanged, message, b.ID}, true
	}
	return Hint{}, false
}

// file is the text that a side is in, or was.
func (v *View) file(s *present.Side) (*files.File, bool) {
	if s.Path == "" {
		return nil, false
	}
	return v.docs.File(protocol.FileURI(s.Path))
}
