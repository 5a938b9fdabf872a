package dap

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// guide knows what is debugged, and words what is seen of it. Its methods are
// called by the goroutine of Serve alone.
type guide interface {
	program() program
	// launched gives the editor's launch arguments, before all else.
	launched(arguments map[string]json.RawMessage)
	greeting() string // shown when the program is launched
	stops() *stops    // set beside the editor's breakpoints
	// request may handle a request of the editor's; it then sees to
	// the answer.
	request(s *session, m *message) bool
	// stopped passes on that the program has stopped.
	stopped(s *session, m *message)
	ended(s *session) // the program is over, the editor does not know it yet
	close()
}

// program is what Delve starts.
type program struct {
	path, dir string
	args      []string
	env       []string // added to the environment: NAME=value
	// moved holds, by the folder that the program names, that of the sources.
	moved map[string]string
}

// passed are what an editor's launch configuration may set; all else is ours.
var passed = []string{
	"name", "type", "request", "noDebug", "stopOnEntry", "stackTraceDepth", "maxStringLen", "maxArrayValues",
	"showGlobalVariables", "showRegisters", "hideSystemGoroutines", "goroutineFilters", "showPprofLabels",
	"substitutePath", "showRawStrings", "trace", "__restart", "__sessionId",
}

func launchArguments(editor json.RawMessage, p program) json.RawMessage {
	theirs := fields(editor)
	args := map[string]json.RawMessage{"hideSystemGoroutines": raw(true)}
	for _, name := range passed {
		if v, ok := theirs[name]; ok {
			args[name] = v
		}
	}
	if len(p.moved) > 0 {
		args["substitutePath"] = raw(substitutions(theirs["substitutePath"], p.moved))
	}
	env := map[string]string{}
	for _, e := range p.env {
		name, value, _ := strings.Cut(e, "=")
		env[name] = value
	}
	for name, v := range map[string]any{
		"mode": "exec", "program": p.path, "args": append([]string{}, p.args...), "cwd": p.dir, "env": env, "outputMode": "remote",
	} {
		args[name] = raw(v)
	}
	return raw(args)
}

// substitutions adds where sources are to the editor's own.
func substitutions(editor json.RawMessage, moved map[string]string) (all []json.RawMessage) {
	_ = json.Unmarshal(editor, &all)
	for _, to := range slices.Sorted(maps.Keys(moved)) {
		all = append(all, raw(map[string]string{"from": moved[to], "to": to}))
	}
	return all
}
