package stored

import (
	"encoding/json"
	"time"

	"github.com/hocket-dev/hocket/engine/projection"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/store"
)

// Findings is what the store of a module held at one moment. It and all that
// it points to are never changed again; later ones may share parts of it.
type Findings struct {
	Root     string     // of the module
	All      []*Finding // newest first
	Problems []error    // one for each file that can't be read
}

// Finding is a finding with all that an editor shows of it.
type Finding struct {
	Finding     *report.Finding
	Explanation *projection.Projection // nil if the find was cut short before it

	Found     time.Time
	Hocket    string // version that found it
	GoVersion string
	Main      bool   // Entry is func main
	TestRun   string // -test.run value that selects the entry
	// Texts are the sources as they were when found, by the names that the
	// finding uses (see Module.Abs), std left out. A file whose text of that
	// moment isn't known for sure is missing; findings of older versions have nil.
	Texts map[string]string
	// Last is the newest replay since then by anyone, nil if there was none.
	Last *LastReplay
}

// LastReplay is the outcome of a replay that ended or was interrupted.
type LastReplay struct {
	When         time.Time // its end
	Level        string    // "controlled", "native" or "pinned"
	Runs, Failed int
	// SameSources: it ran on the very sources that the finding was made on.
	SameSources bool
}

// Markdown is what "hocket explain -format markdown" prints; for a finding
// that has no explanation, its headline and what was measured.
func (s *Finding) Markdown() string {
	if s.Explanation == nil {
		return s.Finding.Headline() + "\n\n" + paragraph(s.Finding)
	}
	return markdown(s.Explanation, s.Finding)
}

// findingOf decodes an item of the store. An explanation that can't be read
// counts as absent: the finding itself is worth showing.
func findingOf(it *store.Item) *Finding {
	r := it.Record
	s := &Finding{Finding: r.Finding, Found: r.Found, Hocket: r.Hocket, GoVersion: r.GoVersion,
		Main: r.Main, TestRun: r.TestRun, Texts: it.Texts}
	if len(r.Projection) > 0 {
		var p *projection.Projection
		if json.Unmarshal(r.Projection, &p) == nil {
			s.Explanation = p
		}
	}
	if l := it.Replay; l != nil {
		s.Last = &LastReplay{When: l.When, Level: l.Level, Runs: l.Runs, Failed: l.Failed, SameSources: l.Sources.SameAs(r.Sources)}
	}
	return s
}
