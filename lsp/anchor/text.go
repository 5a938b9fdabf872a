package anchor

import "strings"

// Text is a source text prepared for comparing; it is immutable.
type Text struct {
	keys []string // per line, what counts of it
}

// NewText prepares a text. Lines end with \n or \r\n; what follows the last
// line end is a line too, unless it is empty.
func NewText(s string) *Text {
	buf := make([]byte, 0, len(s))
	ends := make([]int, 0, strings.Count(s, "\n")+1)
	for len(s) > 0 {
		line, rest, _ := strings.Cut(s, "\n")
		buf = appendKey(buf, line)
		ends = append(ends, len(buf))
		s = rest
	}
	all := string(buf) // one allocation for all keys
	t := &Text{keys: make([]string, len(ends))}
	start := 0
	for i, end := range ends {
		t.keys[i] = all[start:end]
		start = end
	}
	return t
}

// Lines is the number of lines.
func (t *Text) Lines() int { return len(t.keys) }

// appendKey appends the line without the white space that gofmt decides
// about: of that between two words one blank stays, literals stay as they are.
func appendKey(buf []byte, line string) []byte {
	line = strings.TrimSpace(line)
	start, blank := len(buf), false
	var quote byte // the literal that we are in
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote != 0:
			if c == '\\' && quote != '`' && i+1 < len(line) {
				buf = append(buf, c)
				i++
				c = line[i]
			} else if c == quote {
				quote = 0
			}
		case c == ' ' || c == '\t':
			blank = true
			continue
		case c == '"' || c == '`' || c == '\'':
			quote = c
		}
		if blank && len(buf) > start && isWord(buf[len(buf)-1]) && isWord(c) {
			buf = append(buf, ' ')
		}
		blank = false
		buf = append(buf, c)
	}
	return buf
}

func isWord(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
