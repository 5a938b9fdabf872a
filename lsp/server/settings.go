package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/hocket-dev/hocket/engine"
)

// Settings are what users set in the section "hocket". They never change; new
// ones replace them. All names are those of the JSON, with dots between.
type Settings struct {
	Find struct {
		Budget    string `json:"budget"`    // of a whole find, as Go durations are written
		Schedules int    `json:"schedules"` // at most, for each target
		Strategy  string `json:"strategy"`  // as find's -strategy
	} `json:"find"`
	Build struct {
		Tags    string            `json:"tags"`
		LDFlags string            `json:"ldflags"`
		Mod     string            `json:"mod"`
		Short   bool              `json:"short"`
		Env     map[string]string `json:"env"` // added to the server's own
	} `json:"build"`
	Replay struct {
		Runs int `json:"runs"`
	} `json:"replay"`
	CodeLenses struct {
		Find    bool `json:"find"`
		Replay  bool `json:"replay"`
		Explain bool `json:"explain"`
		Debug   bool `json:"debug"` // for clients that can

		Conflicts   bool `json:"conflicts"`
		Breakpoints bool `json:"breakpoints"`
	} `json:"codelenses"`
	Diagnostics struct {
		Enable bool `json:"enable"`
	} `json:"diagnostics"`
	Hover struct {
		Enable bool `json:"enable"`
	} `json:"hover"`
	Conflicts whenConflicts `json:"conflicts"`
	Break     struct {
		Runs int `json:"runs"`
	} `json:"break"`
}

// whenConflicts says when the conflicts of a package are looked for: when a
// command asks for them, or when a file is opened or saved, too.
type whenConflicts string

const (
	onCommand whenConflicts = "command"
	onSave    whenConflicts = "save"

	whenWords = `must be "command" or "save"`
)

// DefaultSettings are those of a client that sets nothing.
func DefaultSettings() *Settings {
	s := &Settings{}
	s.Find.Budget, s.Find.Schedules, s.Find.Strategy = "60s", engine.DefaultSchedules, "auto"
	s.Build.Env = map[string]string{}
	s.Replay.Runs = 100
	s.CodeLenses.Find, s.CodeLenses.Replay, s.CodeLenses.Explain, s.CodeLenses.Debug = true, true, true, true
	s.CodeLenses.Conflicts, s.CodeLenses.Breakpoints = true, true
	s.Conflicts, s.Break.Runs = onCommand, 100
	s.Diagnostics.Enable, s.Hover.Enable = true, true
	return s
}

// ignored are settings of the clients, which live in the same section because
// editors want it so.
var ignored = []string{"trace", "trace.server", "server", "path", "serverPath", "logfile", "enable"}

// parseSettings reads the section. What is not set, or has the wrong type, has
// its default; problems has a line for each name that is unknown or wrong. Names
// may be nested ({"find":{"budget":…}}) or dotted ({"find.budget":…}).
func parseSettings(section []byte) (s *Settings, problems []string) {
	s = DefaultSettings()
	if len(section) == 0 || string(section) == "null" {
		return s, nil
	}
	var tree map[string]json.RawMessage
	if json.Unmarshal(section, &tree) != nil {
		return s, []string{"the settings \"hocket\" must be an object: the defaults are used"}
	}
	fields := s.fields()
	flat := map[string]json.RawMessage{}
	flatten("", tree, fields, flat)
	names := make([]string, 0, len(flat))
	for name := range flat {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if why := set(fields, name, flat[name]); why != "" {
			problems = append(problems, why)
		}
	}
	return s, problems
}

// fields are the settings by name; each points into s.
func (s *Settings) fields() map[string]any {
	return map[string]any{
		"find.budget": &s.Find.Budget, "find.schedules": &s.Find.Schedules, "find.strategy": &s.Find.Strategy,
		"build.tags": &s.Build.Tags, "build.ldflags": &s.Build.LDFlags, "build.mod": &s.Build.Mod,
		"build.short": &s.Build.Short, "build.env": &s.Build.Env,
		"replay.runs":     &s.Replay.Runs,
		"codelenses.find": &s.CodeLenses.Find, "codelenses.replay": &s.CodeLenses.Replay, "codelenses.explain": &s.CodeLenses.Explain,
		"codelenses.debug": &s.CodeLenses.Debug, "codelenses.conflicts": &s.CodeLenses.Conflicts, "codelenses.breakpoints": &s.CodeLenses.Breakpoints,
		"conflicts": &s.Conflicts, "break.runs": &s.Break.Runs,
		"diagnostics.enable": &s.Diagnostics.Enable, "hover.enable": &s.Hover.Enable,
	}
}

// flatten writes the leaves of a tree of settings under their dotted names. A
// setting whose own value is an object is a leaf.
func flatten(prefix string, tree map[string]json.RawMessage, fields map[string]any, flat map[string]json.RawMessage) {
	for k, raw := range tree {
		name := prefix + k
		var sub map[string]json.RawMessage
		if _, leaf := fields[name]; !leaf && isSection(name, fields) && json.Unmarshal(raw, &sub) == nil && sub != nil {
			flatten(name+".", sub, fields, flat)
			continue
		}
		flat[name] = raw
	}
}

func isSection(name string, fields map[string]any) bool {
	for f := range fields {
		if strings.HasPrefix(f, name+".") {
			return true
		}
	}
	return false
}

// set gives a setting its value, or says why not. null stands for the default.
func set(fields map[string]any, name string, raw json.RawMessage) (problem string) {
	to, ok := fields[name]
	switch {
	case string(raw) == "null":
		return ""
	case !ok && isSection(name, fields):
		return fmt.Sprintf("setting hocket.%s: must be an object, not %.60s: the defaults are used", name, raw)
	case !ok && clientsOwn(name):
		return ""
	case !ok:
		return fmt.Sprintf("unknown setting hocket.%s: %s", name, suggestion(name, fields))
	}
	if why := decodeSetting(raw, to); why != "" {
		return fmt.Sprintf("setting hocket.%s: %s, not %.60s: the default is used", name, why, raw)
	}
	return ""
}

func clientsOwn(name string) bool {
	for _, i := range ignored {
		if name == i || strings.HasPrefix(name, i+".") {
			return true
		}
	}
	return false
}

// decodeSetting leaves the default where the value does not fit.
func decodeSetting(raw json.RawMessage, to any) (want string) {
	switch to := to.(type) {
	case *string:
		want = decodeAs(raw, to, "must be a string")
	case *bool:
		want = decodeAs(raw, to, "must be true or false")
	case *int:
		old := *to
		if want = decodeAs(raw, to, "must be an integer"); want == "" && *to < 1 {
			*to, want = old, "must be at least 1"
		}
	case *whenConflicts:
		old := *to
		if want = decodeAs(raw, to, whenWords); want == "" && *to != onCommand && *to != onSave {
			*to, want = old, whenWords
		}
	case *map[string]string:
		want = decodeAs(raw, to, "must be an object with strings")
	}
	return want
}

func decodeAs[T any](raw json.RawMessage, to *T, want string) string {
	var v T
	if json.Unmarshal(raw, &v) != nil {
		return want
	}
	*to = v
	return ""
}

// suggestion names a known setting that is similar, if there is one: else a wrong
// guess would be all that the user sees.
func suggestion(name string, fields map[string]any) string {
	if near := nearest(name, fields); distance(strings.ToLower(name), near) <= len(near)/2 {
		return "did you mean hocket." + near + "?"
	}
	sections := map[string]bool{}
	for f := range fields {
		section, _, _ := strings.Cut(f, ".")
		sections[section] = true
	}
	return "the sections are " + strings.Join(slices.Sorted(maps.Keys(sections)), ", ")
}

// nearest is the known name with the fewest edits to an unknown one.
func nearest(name string, fields map[string]any) string {
	best, least := "", 1<<30
	for f := range fields {
		if d := distance(strings.ToLower(name), f); d < least || d == least && f < best {
			best, least = f, d
		}
	}
	return best
}

// distance is Levenshtein's.
func distance(a, b string) int {
	a = a[:min(len(a), 100)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
