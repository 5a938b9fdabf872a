// Package archtest keeps the direction of the imports: ARCHITECTURE.md says
// which room may know which, this test asserts it.
package archtest

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/hocket-dev/hocket/"

// rule says what the packages below a folder may import of this module, and
// whether they may import anything but the standard library and this module.
type rule struct {
	of       string   // folder, with all below it; "=x" means x alone
	may      []string // folders of this module, with all below them; "=x" means x alone
	stdlib   bool     // nothing of other modules
	onlySome []string // if set, the only other modules allowed
}

// The first rule that fits a package counts, so the deeper folders come first.
// A package without a rule may import nothing of this module.
var rules = []rule{
	{of: "cmd/hocket", may: []string{"=engine", "engine/report", "=lsp", "=lsp/dap"}},
	{of: "lsp/protocol"},
	{of: "lsp/lsptest"}, // a client that shares no code with the server
	{of: "lsp/files", may: []string{"lsp/protocol"}},
	{of: "lsp/anchor"},
	{of: "lsp/jobs", may: []string{"=engine", "engine/report"}},
	{of: "lsp/present", may: []string{"=engine", "engine/report", "=analysis", "lsp/anchor"}},
	{of: "lsp/breakview", may: []string{"=engine", "lsp/files", "lsp/present", "lsp/protocol", "breakpoints/breakfile"}},
	{of: "lsp/conflictview", may: []string{"=engine", "lsp/files", "lsp/present", "lsp/protocol"}},
	{of: "lsp", may: []string{"lsp", "=engine", "engine/report", "=analysis", "breakpoints/breakfile"}},
	{of: "=breakpoints", stdlib: true},
	{of: "breakpoints/breakfile", stdlib: true, may: []string{"internal/atomicfile"}},
	{of: "breakpoints/reproduce", stdlib: true, may: []string{"breakpoints"}},
	{of: "analysis/program"},
	{of: "analysis/decided", may: []string{"=analysis/program"}},
	{of: "analysis", may: []string{"=analysis/program"}},
	{of: "bench/harness", may: []string{"engine"}},
	{of: "bench/record", may: []string{"=engine", "bench/harness", "bench/papers", "bench/table", "engine/record", "engine/recordings", "engine/run", "=engine/build", "=engine/rt", "engine/target"}},
	{of: "bench", may: []string{"lsp/lsptest", "bench", "engine/constraint", "engine/solve", "engine/forest", "engine/trace", "=engine", "engine/report", "engine/tracedb", "breakpoints"}},

	// Below the engine, from the bottom up: a package may import only what stands
	// above its line. TestNothingLooksUp asserts the order.
	{of: "internal/atomicfile", stdlib: true},
	{of: "internal/version", stdlib: true},
	{of: "internal/bug", stdlib: true, may: []string{"internal/atomicfile", "internal/version"}},
	{of: "internal/process", stdlib: true},
	{of: "internal/words", stdlib: true},
	{of: "internal/choice", stdlib: true},
	{of: "internal/textedit", stdlib: true},
	{of: "internal/temp", stdlib: true},
	{of: "internal/proctest"},
	{of: "internal/testmodule", onlySome: []string{"golang.org/x/tools/txtar"}},
	{of: "engine/progress", stdlib: true},
	{of: "engine/report", stdlib: true},
	{of: "engine/overlay", stdlib: true, may: []string{"internal/atomicfile"}},
	{of: "engine/rt", stdlib: true, may: []string{"engine/rt"}},
	{of: "=engine/record", may: []string{"=engine/rt"}},
	{of: "engine/image", onlySome: []string{"golang.org/x/arch/x86/x86asm"}, may: []string{"=engine/rt", "internal/temp"}},
	{of: "engine/site", onlySome: []string{"golang.org/x/mod"}, may: []string{"engine/image"}},
	{of: "engine/source", may: []string{"engine/site"}},
	{of: "engine/target", may: []string{"engine/site", "engine/overlay", "internal/process"}},
	{of: "engine/trace", may: []string{"engine/trace", "engine/image", "engine/site", "=engine/rt"}},
	{of: "=engine/run", may: []string{"engine/trace", "engine/site"}},
	{of: "engine/run/sim", may: []string{"=engine/run", "engine/run/sim", "engine/trace", "engine/site"}},
	{of: "engine/synth", onlySome: []string{"golang.org/x/tools"}, may: []string{"=engine/run", "engine/run/sim", "engine/trace", "engine/site"}},
	{of: "engine/instrument/points", may: []string{"engine/instrument", "engine/rt", "engine/trace", "internal/process", "breakpoints"}},
	{of: "engine/instrument", may: []string{"engine/instrument", "engine/rt", "internal/process", "engine/overlay", "breakpoints"}},
	{of: "engine/run/process", may: []string{"=engine/run", "engine/image", "engine/instrument", "engine/trace", "engine/site", "=engine/rt", "internal/process"}},
	{of: "engine/rounds", stdlib: true, may: []string{"internal/textedit"}},
	{of: "engine/build", may: []string{"engine/instrument", "engine/rounds", "internal/process", "engine/run/process", "engine/site", "engine/target", "engine/overlay", "engine/progress"}},
	{of: "engine/tracedb", onlySome: []string{"go.etcd.io/bbolt", "github.com/gofrs/flock", "github.com/klauspost/compress"}},
	{of: "engine/record/paths", may: []string{"=analysis/decided", "=analysis/program", "engine/image", "engine/instrument", "=engine/rt", "engine/tracedb", "internal/process"}},
	{of: "engine/record/play", may: []string{"engine/instrument", "=engine/record", "=engine/rt", "internal/process"}},
	{of: "engine/constraint/constrainttest", stdlib: true, may: []string{"=engine/constraint"}},
	{of: "engine/constraint", stdlib: true},
	{of: "engine/solve", may: []string{"engine/constraint", "engine/solve"}},
	{of: "engine/forest", may: []string{"engine/constraint", "engine/trace", "=engine/run"}},
	// Who asks a solver gets it from engine/solve/solvers.
	{of: "engine/search", may: []string{"engine/search", "=engine/run", "engine/trace", "engine/forest", "engine/constraint", "=engine/solve", "engine/solve/solvers", "engine/solve/budget", "engine/solve/sweep", "engine/solve/switches", "internal/choice"}},
	{of: "engine/retrace", may: []string{"=engine/run", "=engine/search", "engine/trace", "engine/tracedb"}},
	{of: "=engine/dump", onlySome: []string{"github.com/google/pprof/profile", "golang.org/x/exp/trace"}},
	{of: "engine/dump/today", may: []string{"=engine/dump"}},
	{of: "engine/core", onlySome: []string{"github.com/go-delve/delve/pkg"}, may: []string{"=engine/dump", "engine/core"}},
	{of: "engine/reach", may: []string{"=engine/dump", "engine/image", "=engine/run", "=engine/search", "engine/site", "engine/trace"}},
	{of: "engine/postmortem", may: []string{"=engine/core", "=engine/dump", "engine/image", "engine/rounds", "=engine/run", "engine/trace"}},
	{of: "engine/reduce/fewest", may: []string{"=engine/run", "engine/trace", "engine/forest", "engine/constraint", "=engine/solve", "engine/solve/solvers", "engine/solve/budget", "engine/solve/switches"}},
	{of: "engine/reduce", may: []string{"=engine/run", "engine/trace"}},
	{of: "engine/native", may: []string{"engine/instrument", "engine/trace", "engine/rt", "engine/source", "engine/site", "internal/process", "breakpoints"}},
	{of: "engine/cause", may: []string{"=engine/run", "engine/trace"}},
	{of: "engine/projection", may: []string{"engine/projection", "=engine/cause", "engine/trace", "engine/source", "engine/site", "engine/report"}},
	{of: "=engine/repair", may: []string{"=analysis/program", "engine/overlay", "engine/report", "engine/site"}},
	{of: "engine/debug", may: []string{"=engine/run", "engine/rt", "engine/trace", "engine/image"}},
	{of: "engine/ladder", may: []string{"=engine/build", "=engine/native", "=engine/run", "engine/synth", "engine/report", "engine/target", "engine/trace"}},
	{of: "engine/hunt", may: []string{"=engine/build", "=engine/cause", "=engine/instrument", "=engine/ladder", "=engine/run", "engine/run/process", "engine/reduce", "engine/search", "engine/projection", "engine/progress", "engine/report", "engine/site", "engine/source", "engine/target", "engine/trace"}},
	{of: "engine/store", may: []string{"engine/site", "engine/report", "engine/target", "engine/trace"}},
	{of: "engine/traces", may: []string{"=engine/record", "engine/store", "engine/target", "engine/tracedb"}},
	{of: "engine/stored", may: []string{"=engine/build", "=engine/ladder", "engine/instrument", "engine/native", "engine/debug", "engine/store", "engine/run", "engine/overlay", "engine/projection", "engine/progress", "engine/report", "engine/site", "engine/source", "engine/target", "engine/trace", "breakpoints", "internal/choice", "internal/process", "internal/version"}},
	{of: "engine/whatif", may: []string{"=engine/cause", "=engine/ladder", "engine/progress", "engine/projection", "engine/reduce", "=engine/run", "=engine/stored", "internal/process"}},
	{of: "engine/repair/verify", may: []string{"=engine/build", "engine/instrument", "=engine/native", "engine/overlay", "=engine/repair", "engine/report", "=engine/run", "=engine/search", "engine/site", "engine/target", "engine/trace", "internal/process"}},
	{of: "engine/fixes", may: []string{"=engine/build", "=engine/native", "engine/overlay", "engine/progress", "engine/repair", "engine/report", "engine/site", "engine/store", "=engine/stored", "engine/target", "internal/process", "internal/version"}},
	{of: "engine/session", may: []string{"=engine/build", "=engine/fixes", "=engine/hunt", "=engine/ladder", "=engine/stored", "engine/store", "=engine/run", "=engine/search", "engine/site", "engine/overlay", "engine/progress", "engine/report", "engine/target", "engine/trace", "internal/choice", "internal/process", "internal/version"}},
	{of: "engine/from", may: []string{"=analysis/program", "=engine/build", "=engine/core", "engine/dump", "=engine/postmortem", "=engine/reach", "engine/progress", "engine/report", "=engine/run", "=engine/search", "=engine/session", "engine/site", "engine/target", "engine/trace"}},
	{of: "engine/recordings", may: []string{"=engine/build", "engine/record", "=engine/retrace", "engine/tracedb", "engine/traces", "=engine/instrument", "engine/progress", "engine/report", "=engine/rt", "=engine/run", "=engine/session", "engine/store", "engine/target", "engine/trace", "internal/process"}},
	{of: "engine/breaks/inject", may: []string{"engine/instrument", "engine/overlay", "engine/site", "internal/process", "breakpoints"}},
	{of: "engine/breaks", may: []string{"=engine/build", "engine/breaks", "=engine/stored", "engine/native", "engine/store", "engine/instrument", "engine/overlay", "engine/progress", "engine/site", "engine/target", "engine/trace", "breakpoints", "internal/process"}},

	{of: "engine/solve/z3/libz3", onlySome: []string{"github.com/ebitengine/purego"}},

	{of: "=engine", may: []string{"engine", "breakpoints", "=analysis", "internal/process", "internal/version"}},
}

// common may be imported by every room that is not limited to the standard
// library; one that is names them in its rule. They import nothing else.
var common = []string{"internal/bug", "internal/atomicfile", "internal/textedit", "internal/words", "internal/temp"}

// Only one room may speak each of these languages.
var exclusive = map[string]string{
	"go.lsp.dev/":                  "lsp/protocol",
	"github.com/spf13/cobra":       "cmd/hocket",
	"github.com/vbauerster/mpb/v8": "cmd/hocket",
	"github.com/ebitengine/purego": "engine/solve/z3/libz3",
	"github.com/go-delve/delve":    "engine/core",
	"github.com/google/pprof":      "engine/dump",
	"golang.org/x/arch":            "engine/image",
	"golang.org/x/exp/trace":       "engine/dump",
	"go.etcd.io/bbolt":             "engine/tracedb",
	"github.com/gofrs/flock":       "engine/tracedb",
}

type pkg struct {
	ImportPath string
	Imports    []string
	Standard   bool
}

func TestImports(t *testing.T) {
	std := standard(t)
	for _, p := range list(t, "../../...") {
		name, ours := strings.CutPrefix(p.ImportPath, module)
		if !ours || strings.HasPrefix(name, "internal/archtest") {
			continue
		}
		r := ruleOf(name)
		for _, imp := range p.Imports {
			if why := judge(name, r, imp, std[imp]); why != "" {
				t.Errorf("%s imports %s: %s", name, imp, why)
			}
		}
	}
}

func ruleOf(name string) rule {
	for _, r := range rules {
		if of, alone := strings.CutPrefix(r.of, "="); name == of || !alone && below(name, of) {
			return r
		}
	}
	return rule{of: name}
}

func judge(name string, r rule, imp string, std bool) string {
	for prefix, room := range exclusive {
		if strings.HasPrefix(imp, prefix) && !below(name, room) {
			return "only " + room + " may"
		}
	}
	target, ours := strings.CutPrefix(imp, module)
	switch {
	case std:
		return ""
	case ours:
		if !r.stdlib && slices.Contains(common, target) {
			return ""
		}
		for _, m := range r.may {
			if exact, ok := strings.CutPrefix(m, "="); ok && target == exact || !ok && below(target, m) {
				return ""
			}
		}
		return "not allowed by the rule of " + r.of
	case r.stdlib:
		return "only the standard library is allowed"
	case r.onlySome != nil:
		for _, m := range r.onlySome {
			if below(imp, m) {
				return ""
			}
		}
		return "only " + strings.Join(r.onlySome, ", ") + " is allowed"
	}
	return ""
}

func below(name, folder string) bool {
	return name == folder || strings.HasPrefix(name, folder+"/")
}

// TestRuntimeHalfIsNoPackage: the files that are linked into users' programs see
// nothing but the package they are put into and what that one may import.
func TestRuntimeHalfIsNoPackage(t *testing.T) {
	for _, p := range list(t, "../../...") {
		if strings.HasPrefix(p.ImportPath, module+path.Join("engine", "rt", "overlay")) {
			t.Errorf("%s is compiled as a package of this module; its files must be excluded by a build constraint", p.ImportPath)
		}
	}
}

// TestTheRulesBite checks the checker.
func TestTheRulesBite(t *testing.T) {
	for _, c := range []struct {
		name, imp string
		std, ok   bool
	}{
		{"cmd/hocket", module + "engine/search", false, false},
		{"cmd/hocket", module + "engine", false, true},
		{"engine/search", module + "engine", false, false},
		{"engine/run", module + "engine/search", false, false},
		{"engine/search", module + "engine/run/process", false, false},
		{"engine/search", module + "engine/solve/native", false, false},
		{"engine/search", module + "engine/solve/solvers", false, true},
		{"engine/hunt", module + "engine/store", false, false},
		{"engine/build", module + "engine/hunt", false, false},
		{"bench/cases", module + "engine/session", false, false},
		{"engine/forest", module + "engine/run/process", false, false},
		{"engine/reduce", module + "engine/run/process", false, false},
		{"breakpoints", "golang.org/x/sys/unix", false, false},
		{"breakpoints", module + "internal/bug", false, false},
		{"analysis", module + "internal/bug", false, true},
		{"engine/store", "go.lsp.dev/protocol", false, false},
		{"lsp/server", "go.lsp.dev/protocol", false, false},
		{"lsp/protocol", "go.lsp.dev/protocol", false, true},
		{"lsp/server", module + "engine/search", false, false},
		{"lsp/server", module + "lsp/present", false, true},
		{"lsp/present", module + "lsp/protocol", false, false},
		{"lsp/breakview", module + "lsp/server", false, false},
		{"lsp/breakview", module + "lsp/jobs", false, false},
		{"lsp/conflictview", module + "lsp/server", false, false},
		{"lsp/conflictview", module + "lsp/present", false, true},
		{"engine/rt", "fmt", true, true},
		{"somewhere/new", module + "engine", false, false},
	} {
		if got := judge(c.name, ruleOf(c.name), c.imp, c.std) == ""; got != c.ok {
			t.Errorf("%s imports %s: allowed = %v", c.name, c.imp, got)
		}
	}
}

func standard(t *testing.T) map[string]bool {
	std := map[string]bool{"C": true, "unsafe": true}
	for _, p := range list(t, "std") {
		std[p.ImportPath] = true
	}
	return std
}

func list(t *testing.T, pattern string) []pkg {
	t.Helper()
	return listIn(t, ".", pattern)
}

func listIn(t *testing.T, dir, pattern string) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports,Standard", pattern)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list %s: %v", pattern, err)
	}
	var all []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}
