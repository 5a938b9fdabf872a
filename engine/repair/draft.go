package repair

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"strconv"
	"strings"

	"github.com/hocket-dev/hocket/internal/textedit"
)

// Draft collects the edits of one repair, by positions in the syntax.
type Draft struct {
	code  *Code
	edits map[string][]textedit.Edit
	err   error

	tells    []string
	weight   int                      // added to the repair's
	clones   bool                     // a copy of a guarded slice or map is used in its place
	writing  bool                     // a section that was held for reading is held for writing
	imports  map[string]bool          // that the draft adds, by file and path
	variants map[*ast.FuncDecl]string // functions that have a variant for callers with the lock
}

func (s *search) draft() *Draft { return &Draft{code: s.Code, edits: map[string][]textedit.Edit{}} }

func (d *Draft) edit(at token.Pos, e textedit.Edit) {
	name := d.code.name(at)
	d.edits[name] = append(d.edits[name], e)
}

// Replace puts text in place of a node.
func (d *Draft) Replace(n ast.Node, text string) {
	d.edit(n.Pos(), textedit.Edit{From: d.code.offset(n.Pos()), To: d.code.offset(n.End()), Text: text})
}

// replaceRange puts text in place of what lies between two positions.
func (d *Draft) replaceRange(from, to token.Pos, text string) {
	d.edit(from, textedit.Edit{From: d.code.offset(from), To: d.code.offset(to), Text: text})
}

// Insert puts text before a position.
func (d *Draft) Insert(at token.Pos, text string) {
	d.edit(at, textedit.Insert(d.code.offset(at), 0, text))
}

// Before puts lines of their own before the line on which a node starts, at its
// indentation. Comments right above the node stay with it. If something else is before
// the node on its line, the line is broken there.
func (d *Draft) Before(n ast.Node, lines ...string) {
	t := d.code.Text(d.code.name(n.Pos()))
	start, from := d.code.lineStart(n.Pos()), d.code.offset(n.Pos())
	if len(bytes.TrimSpace(t[start:from])) > 0 {
		d.edit(n.Pos(), textedit.Insert(from, 0, "\n"+block("", lines)))
		return
	}
	at := d.code.lineStart(d.code.withComments(n))
	d.edit(n.Pos(), textedit.Insert(at, 0, block(d.code.indent(n.Pos()), lines)))
}

// After puts lines of their own after the line on which a node ends, or right after the
// node if something else than a comment follows there.
func (d *Draft) After(n ast.Node, lines ...string) {
	t := d.code.Text(d.code.name(n.Pos()))
	to, end := d.code.offset(n.End()), d.code.lineEnd(n.End())
	text := "\n" + strings.TrimSuffix(block(d.code.indent(n.Pos()), lines), "\n")
	if rest := bytes.TrimSpace(t[to:end]); len(rest) > 0 && !bytes.HasPrefix(rest, []byte("//")) {
		d.edit(n.Pos(), textedit.Close(to, to, text+"\n"))
		return
	}
	d.edit(n.Pos(), textedit.Insert(end, 0, text))
}

// Remove takes a statement away: with its line if nothing else is on it, else with the
// semicolon that follows.
func (d *Draft) Remove(n ast.Node) {
	t := d.code.Text(d.code.name(n.Pos()))
	from, to := d.code.offset(n.Pos()), d.code.offset(n.End())
	start, end := d.code.lineStart(n.Pos()), d.code.lineEnd(n.End())
	rest := bytes.TrimLeft(t[to:end], " \t")
	switch {
	case len(bytes.TrimSpace(t[start:from])) == 0 && len(bytes.TrimSpace(rest)) == 0:
		from, to = start, end
		for to < len(t) && (t[to] == '\r' || t[to] == '\n') && (to == end || t[to-1] != '\n') {
			to++
		}
	case bytes.HasPrefix(rest, []byte(";")):
		to = end - len(rest) + 1
		for to < end && t[to] == ' ' {
			to++
		}
	}
	d.edit(n.Pos(), textedit.Edit{From: from, To: to, Order: 1}) // what is inserted there comes first
}

// removeFrom takes the whole lines from one position to another away.
func (d *Draft) removeFrom(from, to token.Pos) {
	t := d.code.Text(d.code.name(from))
	end := d.code.lineEnd(to)
	for end < len(t) && t[end] != '\n' {
		end++
	}
	d.edit(from, textedit.Edit{From: d.code.lineStart(from), To: min(end+1, len(t)), Order: 1})
}

// insertBeforeLine and insertAfterLine put whole lines before or after those of a node.
func (d *Draft) insertBeforeLine(n ast.Node, text string) {
	d.edit(n.Pos(), textedit.Insert(d.code.lineStart(d.code.withComments(n)), 0, text))
}

func (d *Draft) insertAfterLine(n ast.Node, text string) {
	d.edit(n.Pos(), textedit.Insert(d.code.lineEnd(n.End()), 0, "\n"+strings.TrimSuffix(text, "\n")))
}

// take is the text of a node with the edits inside it applied. These are the draft's no
// more: the node is about to be replaced as a whole.
func (d *Draft) take(n ast.Node) string {
	name := d.code.name(n.Pos())
	from, to := d.code.offset(n.Pos()), d.code.offset(n.End())
	var in, rest []textedit.Edit
	for _, e := range d.edits[name] {
		if from <= e.From && e.To <= to {
			e.From, e.To = e.From-from, e.To-from
			in = append(in, e)
		} else {
			rest = append(rest, e)
		}
	}
	d.edits[name] = rest
	text, err := textedit.Apply(d.code.Text(name)[from:to], in)
	if err != nil {
		d.Fail("%v", err)
	}
	return string(text)
}

func block(indent string, lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(indent + l + "\n")
	}
	return b.String()
}

// Tell notes what callers of the repaired code will notice.
func (d *Draft) Tell(format string, args ...any) {
	d.tells = append(d.tells, fmt.Sprintf(format, args...))
}

// Fail makes the draft one that can't be made.
func (d *Draft) Fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
}

// Files are the new texts of the files that the draft changes. It is an error if one
// is generated or would not parse.
func (d *Draft) Files() (map[string][]byte, error) {
	if d.err != nil {
		return nil, d.err
	}
	files := map[string][]byte{}
	for name, edits := range d.edits {
		old := d.code.Text(name)
		text, err := rewrite(name, old, edits)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(text, old) {
			files[name] = text
		}
	}
	return files, nil
}

// rewrite applies edits to the text of a file. What was formatted stays so, and line
// ends stay what they were.
func rewrite(name string, old []byte, edits []textedit.Edit) ([]byte, error) {
	if generated(name, old) {
		return nil, fmt.Errorf("%s is generated: change what it is made from", base(name))
	}
	crlf := bytes.Count(old, []byte("\r\n"))
	if crlf > 0 && crlf != bytes.Count(old, []byte("\n")) {
		return nil, fmt.Errorf("%s mixes line ends: save it with one kind first", base(name))
	}
	unix := func(t []byte) []byte { return bytes.ReplaceAll(t, []byte("\r\n"), []byte("\n")) }
	text, err := textedit.Apply(old, edits)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", base(name), err)
	}
	text = unix(text)
	formatted, err := format.Source(text)
	if err != nil {
		return nil, fmt.Errorf("%s would not parse: %w", base(name), err)
	}
	if was, err := format.Source(unix(old)); err == nil && bytes.Equal(was, unix(old)) {
		text = formatted
	}
	if crlf > 0 {
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	}
	return text, nil
}

func generated(name string, text []byte) bool {
	f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.PackageClauseOnly|parser.ParseComments)
	return err == nil && ast.IsGenerated(f)
}

func base(name string) string { return name[strings.LastIndexAny(name, `/\`)+1:] }

func itoa(n int) string { return strconv.Itoa(n) }
