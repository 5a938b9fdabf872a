package repair

import (
	"path"
	"strings"

	"github.com/hocket-dev/hocket/engine/site"
)

// rules are the ways to repair, in no particular order: candidates are sorted.
var rules = []rule{torn, races, flags, atomics, closeOnce, secondCheck, sameEntry,
	joined, askedTwice, published, takenOut, countedIn,
	conds, sends, unlocks, endings, timers, gone, nested, inversion,
	addFirst, countEach, joins, closers, escapes, startLast, copies, copyOnWrite, onceAlways, undoneLater, pools, syncMaps, writers, counted, drain, firstError, contexts}

// dependency is the module that a repair changes, "" for the main module.
func (s *search) dependency(files map[string][]byte) string {
	for f := range files {
		name := s.Roots.Name(f)
		if vendored, ok := strings.CutPrefix(name, "vendor/"); ok {
			return path.Dir(vendored)
		}
		if site.InMain(name) {
			continue
		}
		if at := strings.IndexByte(name, '@'); at > 0 {
			version, _, _ := strings.Cut(name[at:], "/")
			return name[:at] + version
		}
		return path.Dir(name)
	}
	return ""
}
