package server

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/lsp/files"
	"github.com/hocket-dev/hocket/lsp/jobs"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

func TestArguments(t *testing.T) {
	for _, c := range []struct {
		command string
		into    interface{ check() error }
		arg     string
		want    string // of the error, "" for none
	}{
		{commandFind, &findArguments{}, `{"uri":"file:///a.go","entry":"TestX","budget":"90s","schedules":7,"show":true,"wait":false}`, ""},
		{commandFind, &findArguments{}, `{}`, ""},
		{commandFind, &findArguments{}, `null`, ""},
		{commandFind, &findArguments{}, `[1]`, "it takes an object with the fields uri, entry, position, pattern"},
		{commandFind, &findArguments{}, `{"entrie":"TestX"}`, `unknown field "entrie"; the fields are uri, entry`},
		{commandFind, &findArguments{}, `{"schedules":"many"}`, "schedules is a JSON string; it must be an integer"},
		{commandFind, &findArguments{}, `{"show":1}`, "show is a JSON number; it must be true or false"},
		{commandFind, &findArguments{}, `{"position":{"line":-1}}`, "position.line is a JSON number -1; it must be an integer"},
		{commandFind, &findArguments{}, `{"schedules":0}`, "schedules is 0; it must be at least 1"},
		{commandFind, &findArguments{}, `{"budget":"soon"}`, `invalid budget "soon": it must be a duration`},
		{commandFind, &findArguments{}, `{"budget":"-5s"}`, `a duration above zero`},
		{commandFind, &findArguments{}, `{"pattern":"-exec=x"}`, "it must name packages"},
		{commandFind, &findArguments{}, `{"strategy":"-x"}`, "one of auto, cortex, explore, mix, pct, pos"},
		{commandFind, &findArguments{}, `{"entry":"TestX","pattern":"./..."}`, "can't be combined"},
		{commandReplay, &replayArguments{}, `{"id":"x","level":"native"}`, ""},
		{commandReplay, &replayArguments{}, `{}`, "id is missing, and so is a location (uri and position)"},
		{commandReplay, &replayArguments{}, `{"uri":"file:///a.go","position":{"line":3},"format":"text","open":true}`, ""},
		{commandReplay, &replayArguments{}, `{"id":"x","runs":-1}`, "runs is -1"},
		{commandReplay, &replayArguments{}, `{"id":"x","level":"real"}`, "controlled, pinned, native"},
		{commandBreakPair, &breakPairArguments{}, `{"uri":"file:///a.go","position":{"line":3},"with":{"uri":"file:///a.go","position":{"line":4}},"kind":"race","if":"t1.x == t2.x","order":[2,1],"timeout":"5ms"}`, ""},
		{commandBreakPair, &breakPairArguments{}, `{"order":[1,3]}`, "invalid order [1 3]: it must name each side once, from 1"},
		{commandBreakPair, &breakPairArguments{}, `{"order":"2,1"}`, "order is a JSON string; it must be an array"},
		{commandBreakPair, &breakPairArguments{}, `{"with":5}`, "with is a JSON number; it must be an object"},
		{commandBreakPair, &breakPairArguments{}, `{"timeout":"-1s"}`, `invalid timeout "-1s": it must be a duration above zero`},
		{commandBreakEdit, &breakEditArguments{}, `{"id":"b1","if":"","order":[],"timeout":"","off":true,"accept":true}`, ""},
		{commandBreakEdit, &breakEditArguments{}, `{"order":[0]}`, "invalid order [0]: it must"},
		{commandBreakRun, &breakRunArguments{}, `{"id":"b1","entry":"TestX","runs":3,"show":true,"wait":false}`, ""},
		{commandBreakRun, &breakRunArguments{}, `{"runs":-3}`, "runs is -3"},
		{commandBreakFrom, &breakFromArguments{}, `{"uri":"file:///a.go"}`, "id is missing, and so is a location"},
		{commandFrom, &fromArguments{}, `{"text":"panic: x","module":"file:///m/a.go","nth":1}`, ""},
		{commandFind, &findArguments{}, `{"from":"last"}`, ""},
		{commandFind, &findArguments{}, `{"from":"-x"}`, "it must be the id of a recorded run"},
		{commandFind, &findArguments{}, `{"from":"last","entry":"TestX"}`, "from can't be combined"},
		{commandRecord, &recordArguments{}, `{"entry":"TestX","runs":3,"stop":true}`, ""},
		{commandRecord, &recordArguments{}, `{"runs":0}`, "runs is 0; it must be at least 1"},
		{commandDump, &dumpArguments{}, `{}`, "uri is missing: that of a core dump"},
		{commandDump, &dumpArguments{}, `{"uri":"file:///m/core","budget":"-1s"}`, `hocket.dump: invalid budget "-1s"`},
		{commandDump, &dumpArguments{}, `{"uri":"file:///m/core","args":["-port","80"],"redact":true}`, ""},
		{commandFrom, &fromArguments{}, `{}`, "uri is missing, and so is text"},
		{commandFrom, &fromArguments{}, `{"text":"panic: x","nth":0}`, "nth is 0; it must be at least 1"},
		{commandFrom, &fromArguments{}, `{"text":"panic: x","budget":"soon"}`, `invalid budget "soon"`},
		{commandFrom, &fromArguments{}, `{"text":"panic: x","pattern":"-exec=x"}`, "it must name packages"},
		{commandExplain, &explainArguments{}, `{"id":"x"}`, ""},
		{commandExplain, &explainArguments{}, `{"uri":"file:///a.go"}`, "id is missing, and so is a location"},
		{commandExplain, &explainArguments{}, `{"id":"x","format":"svg"}`, ""},
		{commandSchedule, &scheduleArguments{}, `{"id":"x","unfold":[{"run":"failing","from":2,"to":9}]}`, ""},
		{commandSchedule, &scheduleArguments{}, `{"id":"x","unfold":[{"run":"both"}]}`, `invalid run "both"`},
		{commandSchedule, &scheduleArguments{}, `{}`, "id is missing"},
		{commandWhatIf, &whatIfArguments{}, `{"id":"x","switch":1}`, ""},
		{commandWhatIf, &whatIfArguments{}, `{"id":"x"}`, "one of switch and order must be given"},
		{commandWhatIf, &whatIfArguments{}, `{"id":"x","switch":1,"order":1}`, "one of switch and order"},
		{commandWhatIf, &whatIfArguments{}, `{"id":"x","order":1,"runs":0}`, "runs is 0"},
		{commandExplain, &explainArguments{}, `{"id":"x","format":"pdf"}`, "it must be one of markdown, text, svg, html, dot"},
	} {
		err := decodeArguments(c.command, []protocol.LSPAny{protocol.LSPAny(c.arg)}, c.into)
		if err == nil {
			err = c.into.check()
		}
		got := ""
		if err != nil {
			got = err.Error()
		}
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) || strings.Contains(got, "\n") || got != "" && !strings.Contains(got, c.command) {
			t.Errorf("%s %s: %q, want %q", c.command, c.arg, got, c.want)
		}
	}
	if err := decodeArguments(commandFind, make([]protocol.LSPAny, 2), &findArguments{}); err == nil || !strings.Contains(err.Error(), "2 arguments") {
		t.Errorf("two arguments: %v", err)
	}
}

// TestArgumentNames: the fields are a contract with editors.
func TestArgumentNames(t *testing.T) {
	for want, v := range map[string]any{
		"uri, entry, position, pattern, budget, schedules, strategy, from, show, wait": &findArguments{},
		"uri, entry, position, runs, stop, show, wait":                                 &recordArguments{},
		"id, uri, position, runs, level, show, wait":                                   &replayArguments{},
		"uri, position, show, wait":                                                    &breakSetArguments{},
		"uri, position, with, kind, if, order, timeout, show, wait":                    &breakPairArguments{},
		"id, uri, position, if, order, timeout, off, accept, show, wait":               &breakEditArguments{},
		"id, uri, position, show":                                                      &breakRemoveArguments{},
		"uri, id, entry, runs, show, wait":                                             &breakRunArguments{},
		"uri, id, entry":                                                               &breakDebugArguments{},
		"id, uri, position, show, wait":                                                &breakFromArguments{},
		"uri, show, wait":                                                              &conflictsArguments{},
		"id, uri, step":                                                                &debugArguments{},
		"id, uri, position, format, open":                                              &explainArguments{},
		"uri, text, module, pattern, run, nth, budget, show, wait":                     &fromArguments{},
		"id, uri, position, unfold, show":                                              &scheduleArguments{},
		"id, uri, position, switch, order, runs, show, wait":                           &whatIfArguments{},
		"uri, exe, module, pattern, args, run, budget, redact, show, wait":             &dumpArguments{},
		"job":           &cancelArguments{},
		"uri":           &listArguments{},
		"id, uri, show": &forgetArguments{},
	} {
		if got := fieldsOf(v); got != want {
			t.Errorf("%T has %s, want %s", v, got, want)
		}
	}
}

func TestFindFlags(t *testing.T) {
	set := DefaultSettings()
	set.Build.Tags, set.Build.LDFlags, set.Build.Mod, set.Build.Short = "a,b", "-X main.v=1", "mod", true
	five := 5
	got := findFlags(set, &findArguments{Schedules: &five, Strategy: "pct"}, "TestX/a b+", "30s", "/tmp/o.json")
	want := []string{"find", "-json", "-progress=json", "-stdin-eof", "-budget=30s", "-free-build", "-schedules=5", "-strategy=pct",
		"-tags=a,b", "-ldflags=-X main.v=1", "-mod=mod", "-overlay=/tmp/o.json", "-short", `-run=^TestX$/^a_b\+$`}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	got = findFlags(DefaultSettings(), &findArguments{Pattern: "./a ./b"}, "", "60s", "")
	if tail := got[len(got)-3:]; !reflect.DeepEqual(tail, []string{"-strategy=auto", "./a", "./b"}) {
		t.Errorf("with a pattern: %q", got)
	}
}

func TestOutcomes(t *testing.T) {
	target := func(s report.Status, e string) *report.Target {
		return &report.Target{Entry: "TestX", Status: s, Error: e, Searched: report.Spent{Attempts: 12}}
	}
	noted := func(s report.Status, note string) *report.Target {
		t := target(s, "")
		t.Note = note
		return t
	}
	finding := &engine.Finding{ID: "f", Entry: "TestX", Kind: "panic", Class: "atomicity-violation", Message: "boom\nmore",
		Failure: report.Place{File: "a.go", Line: 3}, Replay: report.Count{Runs: 100, Failed: 100}, Confirmed: report.Controlled}
	for _, c := range []struct {
		rep    engine.Report
		status report.Status
		want   string
	}{
		{engine.Report{Targets: []*report.Target{target(report.Searched, "")}}, report.Searched, "TestX: nothing found (12 schedules tried)"},
		{engine.Report{Targets: []*report.Target{target(report.Clean, "")}}, report.Clean, "TestX: no schedule fails, proved (12 schedules tried)"},
		{engine.Report{Targets: []*report.Target{noted(report.Clean, "proved: all covered")}}, report.Clean, "TestX: no schedule fails, proved: all covered"},
		{engine.Report{Targets: []*report.Target{noted(report.Searched, "not proved: it waits")}}, report.Searched, "TestX: nothing found (12 schedules tried), not proved: it waits"},
		{engine.Report{Targets: []*report.Target{target(report.NotReached, "")}}, report.NotReached, "TestX: not reached; a larger budget continues the search"},
		{engine.Report{Targets: []*report.Target{target(report.Searched, ""), target(report.CutShort, "")}}, report.CutShort, "TestX: nothing found, cut short (24 schedules tried); a larger budget continues the search"},
		{engine.Report{Targets: []*report.Target{target(report.Error, "a.go:1: broken\nx")}}, report.Error, "TestX: can't be searched: a.go:1: broken x"},
		{engine.Report{Targets: []*report.Target{target(report.NotControllable, "signals")}}, report.NotControllable, "TestX: can't be controlled: signals"},
		{engine.Report{Targets: []*report.Target{target(report.FailsAlways, "")}}, report.FailsAlways, "TestX: fails under every schedule, so it is not a concurrency bug"},
		{engine.Report{Targets: []*report.Target{target(report.Failing, "")}, Findings: []*engine.Finding{finding}}, report.Failing,
			"TestX: boom more (a.go:3), atomicity violation; fails 100 of 100 replays, seen only under control"},
		{engine.Report{Targets: []*report.Target{target(report.Failing, "")}, Findings: []*engine.Finding{finding, finding}}, report.Failing,
			"TestX: 2 findings; the first: boom more (a.go:3), atomicity violation"},
		{engine.Report{Targets: []*report.Target{target(report.Failing, ""), target(report.CutShort, ""), target(report.CutShort, "")}, Findings: []*engine.Finding{finding, finding}}, report.Failing,
			"TestX: 2 findings; the first: boom more (a.go:3), atomicity violation; 2 of 3 targets cut short or not reached"},
		{engine.Report{Targets: []*report.Target{target(report.Failing, "")}, Findings: []*engine.Finding{finding, finding}, Warnings: []string{"finding f is not kept in full:\nno space left"}}, report.Failing,
			"TestX: 2 findings; the first: boom more (a.go:3), atomicity violation; finding f is not kept in full: no space left"},
	} {
		if got := statusOf(&c.rep); got != c.status {
			t.Errorf("status %s, want %s", got, c.status)
		}
		if got := outcomeOf("TestX", &c.rep); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		u     engine.Update
		want  string
		share int
	}{
		{engine.Update{Left: -1}, "", 0},
		{engine.Update{Phase: engine.Building, Planned: 3000, Left: time.Minute}, "building", 0},
		{engine.Update{Phase: engine.Searching, Schedules: 12, Planned: 3000, PerMinute: 2900.4, Best: "boom (a.go:3)", Left: -1},
			"12 schedules tried of at most 3000, 2900/min, best: boom (a.go:3)", 0},
		{engine.Update{Phase: engine.Searching, Schedules: 10, Planned: 3000, Elapsed: 30 * time.Second, Left: 30 * time.Second}, "10 schedules tried, at most 30 s left", 50},
		{engine.Update{Phase: engine.Searching, Planned: 3000, Left: 5 * time.Minute}, "0 schedules tried, at most 5 min left", 0},
		{engine.Update{Phase: "trying it on the ordinary build", Schedules: 10, Planned: 3000, Left: time.Minute}, "trying it on the ordinary build, 10 schedules tried", 0},
		{engine.Update{Phase: engine.Replaying, Schedules: 50, Planned: 100, Left: -1}, "50 of 100 replays", 50},
		{engine.Update{Phase: engine.Searching, Schedules: 3000, Planned: 3000, Left: -1}, "3000 schedules tried of at most 3000", 99},
	} {
		if got := progressLine(c.u); got != c.want {
			t.Errorf("%+v: %q, want %q", c.u, got, c.want)
		}
		if got := percentage(c.u); got != c.share {
			t.Errorf("%+v: %d %%, want %d", c.u, got, c.share)
		}
	}
}

func TestOverlay(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) protocol.URI {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return protocol.FileURI(path)
	}
	docs := files.NewStore()
	docs.Open(write("m/same.go", "package m\n"), 1, "package m\n")
	docs.Open(write("m/edited_test.go", "package m\n"), 1, "package m // edited\n")
	docs.Open(write("m/notes.txt", ""), 1, "text")
	docs.Open(write("other/x.go", ""), 1, "package other\n")
	docs.Open(write("m2/x.go", ""), 1, "package m2\n")
	docs.Open(protocol.FileURI(filepath.Join(root, "m", "new.go")), 1, "package m // new\n")
	untitled, err := protocol.ParseURI("untitled:Untitled-1")
	if err != nil {
		t.Fatal(err)
	}
	docs.Open(untitled, 1, "package m\n")

	texts := unsaved(docs.Snapshot(), filepath.Join(root, "m"))
	file, remove, err := writeOverlay(texts)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var o struct{ Replace map[string]string }
	if err := json.Unmarshal(data, &o); err != nil {
		t.Fatal(err)
	}
	if len(o.Replace) != 2 {
		t.Errorf("the overlay has %v", o.Replace)
	}
	for name, want := range map[string]string{"edited_test.go": "package m // edited\n", "new.go": "package m // new\n"} {
		copied := o.Replace[filepath.Join(root, "m", name)]
		got, err := os.ReadFile(copied)
		if err != nil || string(got) != want || filepath.Base(copied) != name {
			t.Errorf("%s is %q in %s, %v", name, got, copied, err)
		}
	}
	remove()
	if _, err := os.Stat(filepath.Dir(file)); !os.IsNotExist(err) {
		t.Errorf("the folder is left: %v", err)
	}
	if file, remove, err := writeOverlay(nil); file != "" || remove == nil || err != nil {
		t.Errorf("without texts: %q, %v", file, err)
	}
}

// TestSweptOverlays: those of servers that were killed long ago go, others stay.
func TestSweptOverlays(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	yesterday := time.Now().Add(-25 * time.Hour)
	for _, name := range []string{overlayPrefix + "old", overlayPrefix + "new", "other"} {
		if err := os.Mkdir(filepath.Join(tmp, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{overlayPrefix + "old", "other"} {
		if err := os.Chtimes(filepath.Join(tmp, name), yesterday, yesterday); err != nil {
			t.Fatal(err)
		}
	}
	_, remove, err := writeOverlay(map[string]string{"/m/a.go": "package m"})
	if err != nil {
		t.Fatal(err)
	}
	remove()
	left, _ := filepath.Glob(filepath.Join(tmp, "*"))
	if len(left) != 2 || filepath.Base(left[0]) != overlayPrefix+"new" || filepath.Base(left[1]) != "other" {
		t.Errorf("left: %v", left)
	}
}

func TestStateLine(t *testing.T) {
	for want, st := range map[string]jobs.State{
		"starting":           {Status: jobs.Queued}, // its turn has come, only not yet its process
		"waiting for 1 job":  {Status: jobs.Queued, Ahead: 1},
		"waiting for 2 jobs": {Status: jobs.Queued, Ahead: 2},
		"building":           {Status: jobs.Running, Update: engine.Update{Phase: engine.Building}},
	} {
		if got := stateLine(st); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A command without a position is answered, whatever window it came from.
func TestNoPosition(t *testing.T) {
	for want, p := range map[string]*position{"neither an id nor a position": nil, "position has no line": {}} {
		if _, err := p.at(commandFix); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", p, err, want)
		}
	}
}
