package analysis

import (
	"bytes"
	"go/token"
	"os"
	"unicode/utf8"
)

// textLine is the text of a position's line, nil if it can't be read.
func (p *summarizer) textLine(pos token.Position) []byte {
	lines, ok := p.texts[pos.Filename]
	if !ok {
		text, given := p.overlay[pos.Filename]
		if !given {
			text, _ = os.ReadFile(pos.Filename) // columns are then those of bytes
		}
		lines = bytes.Split(text, []byte("\n"))
		p.texts[pos.Filename] = lines
	}
	if pos.Line < 1 || pos.Line > len(lines) {
		return nil
	}
	return lines[pos.Line-1]
}

// points turns a column of bytes, from 1, into one of code points.
func points(line []byte, column int) int {
	n := min(column-1, len(line))
	return column - n + utf8.RuneCount(line[:max(n, 0)])
}
