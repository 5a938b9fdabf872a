package fixes

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/internal/atomicfile"
	"github.com/hocket-dev/hocket/internal/textedit"
)

// diff is a fix as a unified diff.
func (a *Answer) diff(f *report.Fix) (string, error) {
	after, err := a.after(f)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(after)) {
		short := strings.TrimPrefix(name, f.Dependency+"/") // a patch is for who has the module itself
		b.Write(diff.Diff("a/"+short, a.texts[name], "b/"+short, after[name]))
	}
	return b.String(), nil
}

// after are the texts with a fix, by the names in its edits.
func (a *Answer) after(f *report.Fix) (map[string][]byte, error) {
	edits := map[string][]textedit.Edit{}
	for _, e := range f.Edits {
		text, ok := a.texts[e.File]
		if !ok {
			return nil, fmt.Errorf("there is no %s any more", e.File)
		}
		from, err := offset(text, e.Start)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.File, err)
		}
		to, err := offset(text, e.End)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.File, err)
		}
		edits[e.File] = append(edits[e.File], textedit.Edit{From: from, To: to, Text: e.Text})
	}
	out := map[string][]byte{}
	for name, es := range edits {
		text, err := textedit.Apply(a.texts[name], es)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out[name] = text
	}
	return out, nil
}

// offset is that of a position in a text.
func offset(text []byte, p report.Pos) (int, error) {
	at, line := 0, 1
	for line < p.Line {
		i := slices.Index(text[at:], '\n')
		if i < 0 {
			return 0, fmt.Errorf("it has no line %d any more", p.Line)
		}
		at, line = at+i+1, line+1
	}
	if at+p.Column-1 > len(text) || p.Column < 1 {
		return 0, fmt.Errorf("line %d has no column %d", p.Line, p.Column)
	}
	return at + p.Column - 1, nil
}

// Apply writes a fix into the user's files: all of it, or nothing.
func (a *Answer) Apply(f *report.Fix) error {
	if f.Dependency != "" {
		return fmt.Errorf("the fix is in %s, a dependency, whose files are shared and read-only; send the patch to its authors, or replace the module by a copy", f.Dependency)
	}
	after, err := a.after(f)
	if err != nil {
		return fmt.Errorf("apply the fix: %w; nothing was written", err)
	}
	names := slices.Sorted(maps.Keys(after))
	for _, name := range names {
		path := a.roots.Abs(name)
		now, err := os.ReadFile(path)
		switch {
		case err != nil:
			return fmt.Errorf("apply the fix: %w; nothing was written", err)
		case string(now) != string(a.texts[name]):
			return fmt.Errorf("apply the fix: %s changed meanwhile; nothing was written", name)
		}
		if err := writable(path); err != nil {
			return fmt.Errorf("apply the fix: %s can't be written (%w); nothing was written", name, err)
		}
	}
	for i, name := range names {
		if err := atomicfile.Update(a.roots.Abs(name), after[name]); err != nil {
			for _, done := range names[:i] { // back to what they were
				_ = atomicfile.Update(a.roots.Abs(done), a.texts[done])
			}
			return fmt.Errorf("apply the fix: write %s: %w; nothing was changed", name, err)
		}
	}
	return nil
}

// writable reports whether a file may be written. One that is marked read-only is not
// replaced, even by who could.
func writable(path string) error {
	st, err := os.Stat(path)
	if err != nil {
		return err
	}
	if st.Mode().Perm()&0o200 == 0 {
		return fs.ErrPermission
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}
