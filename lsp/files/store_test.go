package files

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/hocket-dev/hocket/lsp/protocol"
)

func whole(text string) protocol.TextDocumentContentChangeEvent {
	return &protocol.TextDocumentContentChangeWholeDocument{Text: text}
}

func part(r protocol.Range, text string) protocol.TextDocumentContentChangeEvent {
	return &protocol.TextDocumentContentChangePartial{Range: r, Text: text}
}

func span(l1, c1, l2, c2 uint32) protocol.Range {
	return protocol.Range{Start: protocol.Position{Line: l1, Character: c1}, End: protocol.Position{Line: l2, Character: c2}}
}

const doc = protocol.URI("file:///a/b.go")

func must(t *testing.T, s *Store, want string) {
	t.Helper()
	if f, ok := s.Snapshot().File(doc); !ok || f.Text != want {
		t.Fatalf("text is %q (%v), want %q", f.Text, ok, want)
	}
}

func TestEditsInTheirOrder(t *testing.T) {
	s := NewStore()
	s.Open(doc, 1, "one\ntwo\n")
	before := s.Snapshot()
	edits := []protocol.TextDocumentContentChangeEvent{
		part(span(0, 3, 1, 0), "-"), // one-two
		part(span(0, 0, 0, 3), "😀"),
		part(span(0, 2, 0, 99), "!"), // beyond the end: up to it
		part(span(2, 0, 2, 0), "end"),
	}
	if err := s.Change(doc, 2, edits); err != nil {
		t.Fatal(err)
	}
	must(t, s, "😀!\nend")
	if f, _ := before.File(doc); f.Text != "one\ntwo\n" || f.Version != 1 {
		t.Errorf("an older snapshot has changed: %q", f.Text)
	}
	if err := s.Change(doc, 3, []protocol.TextDocumentContentChangeEvent{part(span(9, 9, 9, 9), "x"), whole("all"), part(span(0, 3, 0, 3), "!")}); err != nil {
		t.Fatal(err) // what is before the whole text does not matter
	}
	must(t, s, "all!")
	if err := s.Change(doc, 4, nil); err != nil {
		t.Fatal(err)
	}
	must(t, s, "all!")
}

func TestEditsThatDoNotFit(t *testing.T) {
	for name, c := range map[string]struct {
		version int32
		edit    protocol.TextDocumentContentChangeEvent
	}{
		"beyond the end":    {2, part(span(3, 0, 3, 0), "x")},
		"ends first":        {2, part(span(1, 0, 0, 0), "x")},
		"ends before":       {2, part(span(0, 2, 0, 1), "x")},
		"far":               {2, part(span(1<<31, 1<<31, 1<<32-1, 1<<32-1), "x")},
		"older version":     {0, part(span(0, 0, 0, 0), "x")},
		"the same version":  {1, part(span(0, 0, 0, 0), "x")},
		"a negative one":    {-1 << 31, part(span(0, 0, 0, 0), "x")},
		"of unknown nature": {2, nil},
	} {
		s := NewStore()
		s.Open(doc, 1, "one\n")
		edit := []protocol.TextDocumentContentChangeEvent{c.edit}
		if err := s.Change(doc, c.version, edit); err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, ok := s.Snapshot().File(doc); ok {
			t.Errorf("%s: the document is not broken", name)
		}
		if err := s.Change(doc, 5, []protocol.TextDocumentContentChangeEvent{part(span(0, 0, 0, 0), "x")}); err != nil {
			t.Errorf("%s: told twice: %v", name, err)
		}
		if _, ok := s.Snapshot().File(doc); ok {
			t.Errorf("%s: a further edit repaired it", name)
		}
		if err := s.Change(doc, 6, []protocol.TextDocumentContentChangeEvent{whole("new")}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		must(t, s, "new")
	}
}

func TestDocumentsThatAreNotOpen(t *testing.T) {
	s := NewStore()
	for _, err := range []error{s.Change(doc, 1, nil), s.Close(doc), s.Saved(doc, nil)} {
		if err == nil {
			t.Error("no error")
		}
	}
	s.Open(doc, 1, "a")
	if err := s.Close(doc); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Snapshot().Opened(doc); ok {
		t.Error("open after close")
	}
}

func TestSavedText(t *testing.T) {
	s := NewStore()
	s.Open(doc, 1, "a")
	same, other := "a", "b"
	if err := s.Saved(doc, &same); err != nil {
		t.Error(err)
	}
	if err := s.Saved(doc, &other); err == nil {
		t.Error("another text was saved, and nobody is told")
	}
	must(t, s, "b")
}

// TestSnapshotsAgainstAString applies random edits to both.
func TestSnapshotsAgainstAString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := NewStore()
		enc := rapid.SampledFrom([]protocol.Encoding{protocol.UTF16, protocol.UTF8, protocol.UTF32}).Draw(t, "encoding")
		s.SetEncoding(enc)
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "\n", "\r\n", "\r", "é", "😀", "\t"}), 0, 20)
		text := strings.Join(pieces.Draw(t, "text"), "")
		s.Open(doc, 0, text)
		for v := range rapid.Int32Range(1, 6).Draw(t, "changes") {
			var edits []protocol.TextDocumentContentChangeEvent
			for range rapid.IntRange(1, 3).Draw(t, "edits") {
				m := protocol.NewMapper(text, enc)
				a := rapid.IntRange(0, len(text)).Draw(t, "start")
				b := rapid.IntRange(a, len(text)).Draw(t, "end")
				r := m.Range(a, b)
				a, b = m.Offset(r.Start), m.Offset(r.End)
				in := strings.Join(pieces.Draw(t, "in"), "")
				text = text[:a] + in + text[b:]
				edits = append(edits, part(r, in))
			}
			if err := s.Change(doc, v+1, edits); err != nil {
				t.Fatal(err)
			}
			f, ok := s.Snapshot().File(doc)
			if !ok || f.Text != text || f.Mapper().Text() != text {
				t.Fatalf("text is %q, want %q", f.Text, text)
			}
		}
	})
}

func TestOneDocumentUnderSeveralNames(t *testing.T) {
	s := NewStore()
	for _, name := range []string{"file:///a/b%20c.go", "file:///a/./b%20c.go", "file:///a/x/../b c.go", "file://localhost/a/b%20c.go", "file:///%61/b%20c.go"} {
		u, err := protocol.ParseURI(name)
		if err != nil {
			t.Fatal(err)
		}
		s.Open(u, 1, name)
		if f, ok := s.Snapshot().Opened(protocol.FileURI("/a/b c.go")); !ok || f.Text != name || f.Path != "/a/b c.go" {
			t.Errorf("%s is not /a/b c.go", name)
		}
	}
	n := 0
	s.Snapshot().All(func(*File) bool { n++; return true })
	if n != 1 {
		t.Errorf("%d documents", n)
	}
}

// TestNoFileOfThisMachine: they can be edited, and are never read from disk.
func TestNoFileOfThisMachine(t *testing.T) {
	for _, name := range []string{"untitled:Untitled-1", "vscode-notebook-cell:/etc/passwd#W0", "git:/etc/passwd?x", "file://elsewhere/etc/passwd",
		"file:///c:/etc/passwd", "file:///C%3A/x.go", "http://a/etc/passwd", "file:///etc/passwd?q", "file:///a%00b", ""} {
		u, err := protocol.ParseURI(name)
		if err != nil {
			continue
		}
		if path, ok := protocol.Path(u); ok && name != "" {
			t.Errorf("%s has the path %s", name, path)
		}
		s := NewStore()
		if f, ok := s.Snapshot().File(u); ok {
			t.Errorf("%s was read: %.20q", name, f.Text)
		}
		s.Open(u, 1, "text")
		if f, ok := s.Snapshot().File(u); !ok || f.Text != "text" {
			t.Errorf("%s is not kept", name)
		}
	}
}

func TestDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.go")
	uri := protocol.FileURI(path)
	s := NewStore()
	if _, ok := s.Snapshot().File(uri); ok {
		t.Error("a file that is not there")
	}
	write := func(text string, stamp time.Time) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, stamp, stamp); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now()
	write("one", now)
	a, ok := s.Snapshot().File(uri)
	if !ok || a.Text != "one" || a.Open {
		t.Fatalf("%+v", a)
	}
	if b, _ := s.Snapshot().File(uri); b != a {
		t.Error("read again though nothing changed")
	}
	write("two", now.Add(time.Second))
	if b, _ := s.Snapshot().File(uri); b.Text != "two" {
		t.Errorf("text is %q", b.Text)
	}
	s.Open(uri, 7, "edited")
	if b, _ := s.Snapshot().File(uri); b.Text != "edited" || !b.Open {
		t.Errorf("text is %q", b.Text)
	}
	if err := s.Close(uri); err != nil {
		t.Fatal(err)
	}
	if b, _ := s.Snapshot().File(uri); b.Text != "two" {
		t.Errorf("text is %q", b.Text)
	}
	if _, ok := s.Snapshot().File(protocol.FileURI(filepath.Dir(path))); ok {
		t.Error("a folder was read")
	}
}

func TestTheCacheIsBounded(t *testing.T) {
	dir := t.TempDir()
	s := NewStore()
	text := strings.Repeat("x", 8<<20)
	for i := range 12 {
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, ok := s.Snapshot().File(protocol.FileURI(path)); !ok {
			t.Fatal(i)
		}
	}
	d := s.Snapshot().disk
	sum := 0
	for _, e := range d.known {
		sum += len(e.file.Text)
	}
	if sum != d.bytes || sum > cacheSize || sum < cacheSize/2 {
		t.Errorf("%d bytes kept, %d counted", sum, d.bytes)
	}
}

func TestWhatIsDerivedIsMadeOnce(t *testing.T) {
	s := NewStore()
	s.Open(doc, 1, "a")
	made := 0
	count := func() any { made++; return made }
	f, _ := s.Snapshot().File(doc)
	if a, b := f.Derived("k", count), f.Derived("k", count); a != 1 || b != 1 {
		t.Errorf("%v, %v", a, b)
	}
	if err := s.Change(doc, 2, []protocol.TextDocumentContentChangeEvent{whole("b")}); err != nil {
		t.Fatal(err)
	}
	f, _ = s.Snapshot().File(doc)
	if c := f.Derived("k", count); c != 2 {
		t.Errorf("of another text: %v", c)
	}
}

// BenchmarkEdits: one edit each in a file of 100,000 lines.
func BenchmarkEdits(b *testing.B) {
	for name, line := range map[string]string{"ascii": "\tfmt.Println(value, other) // a line\n", "wide": "\tfmt.Println(\"größer\", other) // a line\n"} {
		b.Run(name, func(b *testing.B) {
			s := NewStore()
			s.Open(doc, 0, strings.Repeat(line, 100_000))
			b.ReportAllocs()
			v := int32(0)
			for b.Loop() {
				v++
				n := uint32(v*7919) % 100_000
				if err := s.Change(doc, v, []protocol.TextDocumentContentChangeEvent{part(span(n, 5, n, 6), "xy\n")}); err != nil {
					b.Fatal(err)
				}
				f, _ := s.Snapshot().File(doc)
				f.Mapper().Offset(protocol.Position{Line: n, Character: 3})
			}
		})
	}
}
