package present

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/hocket-dev/hocket/engine"
)

var update = flag.Bool("update", false, "write what is rendered into testdata")

// archive is a test case: records of real finds below "findings/", sources as
// they were, today's text of a file below "now/" if it is another one ("now/x"
// empty: the file is gone), "seen" if the server has had the findings as current,
// and "want", what is shown.
type archive struct {
	known []Known
	now   map[string]string
	want  string
	seen  bool
}

// record is the part of a stored finding that is shown.
type record struct {
	Found      time.Time          `json:"found"`
	Finding    *engine.Finding    `json:"finding"`
	Projection *engine.Projection `json:"projection"`
}

func readArchive(t testing.TB, a *txtar.Archive) *archive {
	t.Helper()
	out := &archive{now: map[string]string{}}
	texts := map[string]string{}
	for _, f := range a.Files {
		switch dir, rest, _ := strings.Cut(f.Name, "/"); {
		case dir == "findings":
			var r record
			if err := json.Unmarshal(f.Data, &r); err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
			out.known = append(out.known, Known{Stored: &engine.Stored{Finding: r.Finding, Explanation: r.Projection, Found: r.Found, Texts: texts}})
		case dir == "now" && len(f.Data) == 0:
			delete(out.now, rest)
		case dir == "now":
			out.now[rest] = string(f.Data)
		case f.Name == "want":
			out.want = string(f.Data)
		case f.Name == "seen":
			out.seen = true
		default:
			texts[f.Name] = string(f.Data)
			out.now[f.Name] = string(f.Data)
		}
	}
	for i := range out.known {
		out.known[i].Seen = out.seen
	}
	return out
}

func (a *archive) source() Source {
	return Source{
		Text: func(name string) (string, bool) { s, ok := a.now[name]; return s, ok },
		Entry: func(k Known) (Entry, bool) {
			for name, text := range a.now {
				for _, e := range engine.Outline(name, []byte(text)) {
					if e.Name == k.Finding.Entry {
						return Entry{File: name, Line: e.Line}, true
					}
				}
			}
			return Entry{}, false
		},
	}
}

func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(path.Base(file), ".txtar"), func(t *testing.T) {
			raw, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			a := readArchive(t, raw)
			got := render(a)
			if *update {
				setFile(raw, "want", got)
				if err := os.WriteFile(file, txtar.Format(raw), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if d := cmp.Diff(a.want, got); d != "" {
				t.Errorf("shown otherwise (-want +got), -update accepts it:\n%s", d)
			}
		})
	}
}

func setFile(a *txtar.Archive, name, data string) {
	for i := range a.Files {
		if a.Files[i].Name == name {
			a.Files[i].Data = []byte(data)
			return
		}
	}
	a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(data)})
}

// render is all that is shown of a case, for users to look at.
func render(a *archive) string {
	v := NewView(a.known, a.source(), nil)
	var b strings.Builder
	for _, it := range v.Items() {
		name, at, _ := it.Location()
		fmt.Fprintf(&b, "%s %s at %s:%d\n", it.Finding.ID, it.State, name, at.Line)
	}
	for _, name := range v.Files() {
		for _, d := range v.Diagnostics(name) {
			writeDiagnostic(&b, a, name, d)
		}
	}
	for _, name := range v.Files() {
		lines := strings.Split(a.now[name], "\n")
		for n := range lines {
			if text, at, ok := v.Hover(name, n+1, 1, Style{}); ok {
				fmt.Fprintf(&b, "\n== hover %s:%d %q\n%s", name, n+1, lines[n][at.Start-1:at.End-1], v.onlyNew(name, n+1, text))
			}
		}
	}
	b.WriteString("\n== lenses\n")
	for name, text := range sorted(a.now) {
		for _, l := range Lenses(engine.Outline(name, []byte(text)), v, LensOptions{Find: true, Replay: true, Explain: true}) {
			fmt.Fprintf(&b, "%s:%d %s: %s %s\n", name, l.Line, l.Title, l.Action, l.ID)
		}
	}
	return b.String()
}

// onlyNew shortens a hover to what is about its line, unless it is the line at
// which a finding is best looked at.
func (v *View) onlyNew(name string, line int, text string) string {
	for _, it := range v.Items() {
		if n, at, _ := it.Location(); n == name && at.Line == line {
			return text
		}
	}
	head, _, _ := strings.Cut(text, "\n")
	out := head + " ...\n"
	for _, p := range strings.Split(text, "\n\n") {
		if strings.HasPrefix(p, "This line") {
			out += p + "\n"
		}
	}
	return out
}

func writeDiagnostic(b *strings.Builder, a *archive, name string, d Diagnostic) {
	text := func(name string, at Span) string {
		lines := strings.Split(a.now[name], "\n")
		if at.Line > len(lines) || at.End-1 > len(lines[at.Line-1]) {
			return "?"
		}
		return lines[at.Line-1][at.Start-1 : at.End-1]
	}
	severity := map[Severity]string{Warning: "warning", Information: "information", Hint: "hint"}[d.Severity]
	fmt.Fprintf(b, "\n%s:%d %q %s %s %s\n", name, d.Span.Line, text(name, d.Span), severity, d.Code, strings.Join(d.IDs, " "))
	for _, l := range strings.Split(d.Message, "\n") {
		fmt.Fprintf(b, "    %s\n", l)
	}
	for _, r := range d.Related {
		fmt.Fprintf(b, "  - %s:%d %q %s\n", r.File, r.Span.Line, text(r.File, r.Span), r.Message)
	}
}

func sorted(m map[string]string) func(func(string, string) bool) {
	return func(yield func(string, string) bool) {
		names := make([]string, 0, len(m))
		for n := range m {
			names = append(names, n)
		}
		slices.Sort(names)
		for _, n := range names {
			if !yield(n, m[n]) {
				return
			}
		}
	}
}
