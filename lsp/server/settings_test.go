package server

import (
	"reflect"
	"strings"
	"testing"
)

func TestSettingsOfNothingAreTheDefaults(t *testing.T) {
	for _, raw := range []string{"", "null", "{}", `{"find":{},"build":{"env":null}}`, `{"find":null}`, `{"trace":{"server":"verbose"},"serverPath":"x"}`} {
		s, problems := parseSettings([]byte(raw))
		if !reflect.DeepEqual(s, DefaultSettings()) || problems != nil {
			t.Errorf("%q: %+v, %q", raw, s, problems)
		}
	}
}

func TestSettingsInBothForms(t *testing.T) {
	for _, raw := range []string{
		`{"find":{"budget":"5s","schedules":7,"strategy":"pct"},"build":{"tags":"a","ldflags":"b","mod":"mod","short":true,"env":{"K":"v"}},
		  "replay":{"runs":3},"codelenses":{"find":false,"replay":false,"explain":false,"debug":false,"conflicts":false,"breakpoints":false},"diagnostics":{"enable":false},"hover":{"enable":false},
		  "conflicts":"save","break":{"runs":4}}`,
		`{"find.budget":"5s","find.schedules":7,"find.strategy":"pct","build.tags":"a","build.ldflags":"b","build.mod":"mod","build.short":true,"build.env":{"K":"v"},
		  "replay.runs":3,"codelenses.find":false,"codelenses.replay":false,"codelenses":{"explain":false,"debug":false,"conflicts":false},"codelenses.breakpoints":false,"conflicts":"save","break.runs":4,"diagnostics.enable":false,"hover.enable":false}`,
	} {
		want := &Settings{}
		want.Find.Budget, want.Find.Schedules, want.Find.Strategy = "5s", 7, "pct"
		want.Build.Tags, want.Build.LDFlags, want.Build.Mod, want.Build.Short, want.Build.Env = "a", "b", "mod", true, map[string]string{"K": "v"}
		want.Replay.Runs, want.Break.Runs, want.Conflicts = 3, 4, onSave
		if s, problems := parseSettings([]byte(raw)); !reflect.DeepEqual(s, want) || problems != nil {
			t.Errorf("%+v, %q", s, problems)
		}
	}
}

// TestEverySettingIsAField: the names of fields() are those of the JSON tags.
func TestEverySettingIsAField(t *testing.T) {
	fields := DefaultSettings().fields()
	n := 0
	sections := reflect.TypeFor[Settings]()
	for i := range sections.NumField() {
		section := sections.Field(i)
		if section.Type.Kind() != reflect.Struct { // a setting without a section
			if fields[section.Tag.Get("json")] == nil {
				t.Errorf("no %s", section.Name)
			}
			n++
			continue
		}
		for j := range section.Type.NumField() {
			name := section.Tag.Get("json") + "." + section.Type.Field(j).Tag.Get("json")
			if fields[name] == nil {
				t.Errorf("no %s", name)
			}
			n++
		}
	}
	if n != len(fields) {
		t.Errorf("%d fields, %d names", n, len(fields))
	}
}

func TestWrongSettingsAreTold(t *testing.T) {
	for raw, want := range map[string]string{
		`5`:                                       "must be an object",
		`[]`:                                      "must be an object",
		`{"find":5}`:                              "setting hocket.find: must be an object, not 5",
		`{"find":{"budjet":"5s"}}`:                "unknown setting hocket.find.budjet: did you mean hocket.find.budget?",
		`{"codeLenses":{"find":true}}`:            "unknown setting hocket.codeLenses: did you mean hocket.",
		`{"speed":"5s"}`:                          "unknown setting hocket.speed: the sections are break, build, codelenses, conflicts, diagnostics, find, hover, replay",
		`{"findBudget":"5s"}`:                     "did you mean hocket.find.budget?",
		`{"find":{"budget":5}}`:                   "setting hocket.find.budget: must be a string, not 5: the default is used",
		`{"replay":{"runs":1.5}}`:                 "must be an integer",
		`{"replay":{"runs":0}}`:                   "must be at least 1",
		`{"replay":{"runs":-3}}`:                  "must be at least 1",
		`{"conflicts":"always"}`:                  `setting hocket.conflicts: must be "command" or "save"`,
		`{"conflicts":{"save":true}}`:             `must be "command" or "save"`,
		`{"break":{"runs":0}}`:                    "must be at least 1",
		`{"hover.enable":"yes"}`:                  "must be true or false",
		`{"build":{"env":{"K":1}}}`:               "must be an object with strings",
		`{"build":{"env":"x"}}`:                   "must be an object with strings",
		`{"` + strings.Repeat("y", 9999) + `":1}`: "unknown setting",
	} {
		s, problems := parseSettings([]byte(raw))
		if len(problems) != 1 || !strings.Contains(problems[0], want) {
			t.Errorf("%.60s: %q, want %q", raw, problems, want)
		}
		if !reflect.DeepEqual(s, DefaultSettings()) {
			t.Errorf("%.60s: %+v", raw, s)
		}
	}
}
