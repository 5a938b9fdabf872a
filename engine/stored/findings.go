package stored

import (
	"encoding/json"
	"maps"
	"time"

	"github.com/hocket-dev/hocket/engine/projection"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/internal/version"
)

// Findings is the content of a module's store at one moment. It and everything
// that it points to never changes; later ones may share parts of it.
type Findings struct {
	Root     string     // of the module
	All      []*Finding // newest first
	Problems []error    // one for each file that can't be read
}

// Finding is a finding with everything that an editor shows about it.
type Finding struct {
	Finding     *report.Finding
	Explanation *projection.Projection // nil if the find was cut short before it

	Found     time.Time
	Hocket    string // version that found it
	GoVersion string
	Main      bool   // Entry is func main
	TestRun   string // -test.run value that selects the entry
	// Texts are the sources as they were when the finding was made, by the
	// names that the finding uses (see Module.Abs), without std. A file whose
	// text at that time is not certain is missing; findings of older versions
	// have nil.
	Texts map[string]string
	// Last is the newest replay since then, by any process; nil if there was
	// none.
	Last *LastReplay
	// Fixes are the verified repairs that this build of Hocket found for it, of the texts
	// whose sums FixedTexts has.
	Fixes      []report.Fix
	FixedTexts store.Sums
}

// Verified are those of some fixes that hold.
func verified(all []report.Fix) (list []report.Fix) {
	for _, f := range all {
		if f.Verified != "" {
			list = append(list, f)
		}
	}
	return list
}

// Outcome is what replays and searches since a finding was made say about it.
type Outcome string

const (
	Fails Outcome = "fails"
	// Passes: it did not fail at that level, on the same sources and with the
	// same build as it was found.
	Passes Outcome = "passes"
	// Outdated: it did not fail, but its schedule was made for other sources or
	// another build, and may lead elsewhere in these. That says nothing about
	// the bug.
	Outdated Outcome = "outdated"
	// Fixed: a search of the target, on other sources than those of the
	// finding, tried all planned schedules or was complete, and did not find
	// it.
	Fixed Outcome = "fixed"
)

// LastReplay is the outcome of a replay that ended or was interrupted, or of a
// search in which the failure was not seen.
type LastReplay struct {
	When         time.Time // its end
	Level        string    // "controlled", "native" or "pinned"
	Runs, Failed int       // no runs: only searched
	Outcome      Outcome
	// SameSources: it ran on the sources that the finding was made on.
	SameSources bool
	Sources     store.Sums // that it ran on, by the names that the finding uses
}

func lastReplay(r *store.Record, l *store.Replay) *LastReplay {
	last := &LastReplay{When: l.When, Level: l.Level, Runs: l.Runs, Failed: l.Failed, SameSources: l.Sources.SameAs(r.Sources), Sources: store.Sums{}}
	maps.Copy(last.Sources, l.Sources)
	maps.Copy(last.Sources, l.Path)
	changed := len(l.Changed) > 0 || !last.SameSources // files of earlier versions say the latter only
	switch {
	case l.Failed > 0:
		last.Outcome = Fails
	case l.Searched && changed:
		last.Outcome = Fixed
	case changed || l.Build != "":
		last.Outcome = Outdated
	default:
		last.Outcome = Passes
	}
	return last
}

// Markdown is what "hocket explain -format markdown" prints; for a finding
// that has no explanation, its headline and what was measured.
func (s *Finding) Markdown() string {
	if s.Explanation == nil {
		return s.Finding.Headline() + "\n\n" + paragraph(s.Finding)
	}
	return markdown(s.Explanation, s.Finding)
}

// Picture is what "hocket explain" prints in the formats svg, html and dot.
func (s *Finding) Picture(format string) (string, error) {
	if s.Explanation == nil {
		return "", notExplained(s.Finding.ID)
	}
	return picture(format, s.Explanation, s.Finding, s.Texts)
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
	if it.Fixes != nil && it.Fixes.Hocket == version.Build() {
		s.Fixes, s.FixedTexts = verified(it.Fixes.Fixes), it.Fixes.Sources
	}
	if l := it.Replay; l != nil {
		s.Last = lastReplay(r, l)
	}
	return s
}
