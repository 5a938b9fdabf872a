package present

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/anchor"
)

// renumber rewrites the line numbers in the words of an explanation to those
// of today. The words were made for users: "main.go:57" names its file, a bare
// number belongs to the file of the failure, unless the explanation has that line in
// one other file only. A number that is not known stays as it was.
type renumber struct {
	base   string // file of the failure
	maps   map[string]*anchor.Map
	ofName map[string]string // file by its last element, "" if several have it
	ofLine map[int]string    // file by line, for lines of the explanation elsewhere
}

func (r *renumber) learn(s *engine.Stored) {
	r.ofName, r.ofLine = map[string]string{}, map[int]string{}
	for file := range r.maps {
		n := path.Base(file)
		if _, twice := r.ofName[n]; twice {
			file = ""
		}
		r.ofName[n] = file
	}
	for _, a := range s.Finding.RootCause {
		r.tells(a.File, a.Line)
		if a.Call != nil {
			r.tells(a.Call.File, a.Call.Line)
		}
	}
	if s.Explanation == nil {
		return
	}
	for _, row := range s.Explanation.Rows {
		r.tells(row.File, row.Line)
	}
}

// tells notes that the explanation is about a line of a file.
func (r *renumber) tells(file string, line int) {
	if have, ok := r.ofLine[line]; !ok || file == r.base {
		r.ofLine[line] = file
	} else if have != file && have != r.base {
		r.ofLine[line] = ""
	}
}

// moved reports whether any number may have to change.
func (r *renumber) moved() bool {
	for _, m := range r.maps {
		if !m.Same() {
			return true
		}
	}
	return false
}

func (r *renumber) line(file string, n int) int {
	if m := r.maps[file]; m != nil {
		if at, ok := m.At(n); ok {
			return at
		}
		if at, ok := m.Near(n); ok {
			return at
		}
	}
	return n
}

var (
	named = regexp.MustCompile(`([\pL\pN_.\-]+\.go):(\d+)`)
	bare  = regexp.MustCompile(`((?:\b[Ll]ines? |\b(?:before|after|from|at) |\())(\d+)(?:-(\d+))?\b`)
)

// words rewrites a sentence, or a cell of the table.
func (r *renumber) words(s string) string {
	if !r.moved() {
		return s
	}
	parts := strings.Split(s, "`") // code is left alone, but for places
	for i := range parts {
		if i%2 == 0 {
			parts[i] = bare.ReplaceAllStringFunc(parts[i], r.bare)
		}
		parts[i] = named.ReplaceAllStringFunc(parts[i], r.named)
	}
	return strings.Join(parts, "`")
}

func (r *renumber) named(s string) string {
	m := named.FindStringSubmatch(s)
	n, err := strconv.Atoi(m[2])
	if file := r.ofName[m[1]]; file != "" && err == nil {
		n = r.line(file, n)
		return m[1] + ":" + strconv.Itoa(n)
	}
	return s
}

func (r *renumber) bare(s string) string {
	m := bare.FindStringSubmatch(s)
	out := m[1]
	for i, digits := range m[2:] {
		n, err := strconv.Atoi(digits)
		if err != nil {
			continue // no second number
		}
		file := r.base
		if f, ok := r.ofLine[n]; ok {
			file = f
		}
		if i > 0 {
			out += "-"
		}
		out += strconv.Itoa(r.line(file, n))
	}
	return out
}
