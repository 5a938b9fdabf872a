package dap

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"

	"github.com/hocket-dev/hocket/engine"
)

// stops are breakpoints of a guide's, and which of them Delve has.
type stops struct {
	files map[string][]engine.DebugBreakpoint // by file, links resolved
	// other holds the breakpoints that are at no line, by the command that
	// sets them.
	other map[string][]json.RawMessage
	// theirs are the editor's at no line, by the same.
	theirs map[string][]json.RawMessage
	set    map[string]bool // files and commands of which Delve has the stops
}

const (
	setFunctions    = "setFunctionBreakpoints"
	setInstructions = "setInstructionBreakpoints"
)

func newStops() *stops {
	return &stops{files: map[string][]engine.DebugBreakpoint{}, set: map[string]bool{},
		other: map[string][]json.RawMessage{}, theirs: map[string][]json.RawMessage{}}
}

func resolved(file string) string {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		return real
	}
	return filepath.Clean(file)
}

func own(b engine.DebugBreakpoint) map[string]json.RawMessage {
	return map[string]json.RawMessage{"line": raw(b.Line), "condition": raw(b.Condition), "hitCondition": raw(b.HitCondition())}
}

// complete adds the stops of a file to the editor's breakpoints in it. One of
// the editor's on a line with stops stops there too.
func (s *stops) complete(file string, theirs []map[string]json.RawMessage) []map[string]json.RawMessage {
	all := slices.Clone(theirs)
	for _, mine := range s.files[resolved(file)] {
		i := slices.IndexFunc(theirs, func(b map[string]json.RawMessage) bool {
			var line int
			return json.Unmarshal(b["line"], &line) == nil && line == mine.Line
		})
		if i < 0 {
			all = append(all, own(mine))
			continue
		}
		var cond string
		if json.Unmarshal(all[i]["condition"], &cond) == nil && cond != "" {
			all[i] = maps.Clone(all[i])
			all[i]["condition"] = raw("(" + cond + ") || (" + mine.Condition + ")")
		}
	}
	return all
}

// setBreakpoints sets the editor's breakpoints of a file and the file's stops.
func (s *session) setBreakpoints(m *message) {
	var args struct {
		Source      struct{ Path string }
		Breakpoints []map[string]json.RawMessage
		Lines       []int
	}
	if json.Unmarshal(m.Arguments, &args) != nil || args.Source.Path == "" {
		s.forward(m, nil)
		return
	}
	if args.Breakpoints == nil { // the older form
		for _, l := range args.Lines {
			args.Breakpoints = append(args.Breakpoints, map[string]json.RawMessage{"line": raw(l)})
		}
	}
	s.stops.set[resolved(args.Source.Path)] = true
	sent := *m
	all := fields(m.Arguments)
	all["breakpoints"] = raw(s.stops.complete(args.Source.Path, args.Breakpoints))
	delete(all, "lines")
	sent.Arguments = raw(all)
	s.forward(&sent, func(answer *message) { hideAfter(answer, len(args.Breakpoints)) })
}

// setOther sets the editor's breakpoints at functions or instructions, and the
// stops' own.
func (s *session) setOther(m *message) {
	all := fields(m.Arguments)
	var theirs []json.RawMessage
	if json.Unmarshal(all["breakpoints"], &theirs) != nil {
		s.forward(m, nil)
		return
	}
	s.stops.set[m.Command], s.stops.theirs[m.Command] = true, theirs
	sent := *m
	all["breakpoints"] = raw(append(slices.Clip(theirs), s.stops.other[m.Command]...))
	sent.Arguments = raw(all)
	s.forward(&sent, func(answer *message) { hideAfter(answer, len(theirs)) })
}

// hideAfter leaves the first n breakpoints of an answer.
func hideAfter(answer *message, n int) {
	body := fields(answer.Body)
	var got []json.RawMessage
	if json.Unmarshal(body["breakpoints"], &got) != nil || len(got) <= n {
		return
	}
	body["breakpoints"] = raw(got[:n])
	answer.Body = raw(body)
}

// setRest sets the stops that no request of the editor's has carried, and calls
// then when Delve has them.
func (s *session) setRest(then func()) {
	waiting := 1
	done := func(*message) {
		if waiting--; waiting == 0 {
			then()
		}
	}
	for file := range s.stops.files {
		if s.stops.set[file] {
			continue
		}
		s.stops.set[file] = true
		waiting++
		s.call("setBreakpoints", raw(map[string]any{
			"source": map[string]string{"path": file}, "breakpoints": s.stops.complete(file, nil)}), done)
	}
	for command, own := range s.stops.other {
		if s.stops.set[command] {
			continue
		}
		s.stops.set[command] = true
		waiting++
		s.call(command, raw(map[string]any{"breakpoints": own}), done)
	}
	done(nil)
}

// setAgain gives Delve the breakpoints at no line again, after the guide's have
// changed.
func (s *session) setAgain(command string, then func(*message)) {
	s.stops.set[command] = true
	all := append(slices.Clip(s.stops.theirs[command]), s.stops.other[command]...)
	if all == nil {
		all = []json.RawMessage{}
	}
	s.call(command, raw(map[string]any{"breakpoints": all}), then)
}
