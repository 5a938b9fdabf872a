package present

import (
	"strings"

	"github.com/hocket-dev/hocket/lsp/anchor"
)

// Then leads from the lines of texts of some time to those of today. Not safe for
// concurrent use.
type Then struct {
	texts map[string]string
	today func(name string) (string, bool)
	files map[string]*thenFile
}

type thenFile struct {
	now []string // lines; nil if there is no such file
	to  *anchor.Map
}

// NewThen takes the texts of then, by their names in findings, and today's. A file of
// which no text is known has kept its lines.
func NewThen(texts map[string]string, today func(name string) (string, bool)) *Then {
	return &Then{texts: texts, today: today, files: map[string]*thenFile{}}
}

// At is where a line is today, without its margins; false if it is gone. A line that was
// changed is the one in its place.
func (t *Then) At(name string, line int) (Span, bool) {
	f := t.file(name)
	if f.now == nil {
		return Span{}, false
	}
	at := line
	if f.to != nil {
		var ok bool
		if at, ok = f.to.Near(line); !ok {
			return Span{}, false
		}
	}
	if at < 1 || at > len(f.now) {
		return Span{}, false
	}
	return trimmed(at, lineOf(f.now, at)), true
}

func (t *Then) file(name string) *thenFile {
	if f, ok := t.files[name]; ok {
		return f
	}
	f := &thenFile{}
	t.files[name] = f
	text, ok := t.today(name)
	if !ok {
		return f
	}
	f.now = strings.Split(text, "\n")
	if old, known := t.texts[name]; known && old != text {
		f.to = anchor.Between(anchor.NewText(old), anchor.NewText(text))
	}
	return f
}
