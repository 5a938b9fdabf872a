package server_test

import (
	"maps"
	"testing"

	"github.com/hocket-dev/hocket/lsp/lsptest"
)

// TestOnlyEqualRequestsJoin: a request joins the job of an earlier one only if
// the same is done, with the same options, on the same texts.
func TestOnlyEqualRequestsJoin(t *testing.T) {
	c, _, uri := oddModule(t, "exec cat >/dev/null") // a job that lasts until it is cancelled
	configure := func(settings lsptest.Object) {
		c.Notify("workspace/didChangeConfiguration", lsptest.Object{"settings": lsptest.Object{"hocket": settings}})
	}
	c.Initialize(lsptest.Object{"capabilities": lsptest.Object{}}) // settings are sent, not pulled
	c.Open(uri, "package m\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {}\n")
	start := func(command string, arg lsptest.Object) string {
		t.Helper()
		all := lsptest.Object{"uri": uri, "wait": false}
		maps.Copy(all, arg)
		var answer struct{ Job string }
		c.Must("workspace/executeCommand", lsptest.Object{"command": command, "arguments": []any{all}}, &answer)
		return answer.Job
	}
	const find, run, conflicts = "hocket.find", "hocket.break.run", "hocket.conflicts"
	plain := lsptest.Object{"entry": "TestX"}
	with := func(name string, value any) lsptest.Object { return lsptest.Object{"entry": "TestX", name: value} }
	seen := map[string]string{} // what was asked for, by job
	differs := func(what, command string, arg lsptest.Object) {
		t.Helper()
		job := start(command, arg)
		if other, ok := seen[job]; ok {
			t.Errorf("%s joined %s", what, other)
		}
		seen[job] = what
		if again := start(command, arg); again != job {
			t.Errorf("%s again did not join the first", what)
		}
	}
	differs("a find", find, plain)
	differs("a budget", find, with("budget", "10m"))
	differs("a number of schedules", find, with("schedules", 7))
	differs("a strategy", find, with("strategy", "pct"))
	differs("a run with breakpoints", run, plain)
	differs("a look for conflicts", conflicts, lsptest.Object{})
	for what, settings := range map[string]lsptest.Object{
		"tags":        {"build": lsptest.Object{"tags": "integration"}},
		"ldflags":     {"build": lsptest.Object{"ldflags": "-s"}},
		"short":       {"build": lsptest.Object{"short": true}},
		"environment": {"build": lsptest.Object{"env": lsptest.Object{"GOFLAGS": "-trimpath"}}},
	} {
		configure(settings)
		differs("a find with other "+what, find, plain)
		differs("a run with other "+what, run, plain)
		if what == "tags" || what == "environment" { // it builds nothing
			differs("conflicts with other "+what, conflicts, lsptest.Object{})
		}
	}
	configure(lsptest.Object{})
	c.Change(uri, 2, lsptest.Edit{Text: "package m\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) { t.Log() }\n"})
	differs("a find of another text", find, plain)
	differs("a run of another text", run, plain)
	differs("conflicts of another text", conflicts, lsptest.Object{})
	c.Save(uri)
	differs("a find after a save", find, plain)
	c.Must("workspace/executeCommand", lsptest.Object{"command": "hocket.cancel", "arguments": []any{lsptest.Object{}}}, nil)
	c.Shutdown()
}
