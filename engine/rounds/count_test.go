package rounds_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/rounds"
)

func TestCount(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"no loop", "package a\n\nfunc f() {}\n", "package a\n\nfunc f() {}\n"},
		{"a loop that waits for nothing", "package a\n\nfunc f(x []int) (n int) {\n\tfor _, y := range x {\n\t\tn += int(y)\n\t}\n\treturn n\n}\n", "package a\n\nfunc f(x []int) (n int) {\n\tfor _, y := range x {\n\t\tn += int(y)\n\t}\n\treturn n\n}\n"},
		{"a call, a channel, one within the other",
			"package a // text\n\nfunc f(c chan int) {\n\tfor {\n\t\tfor <-c > 0 {\n\t\t}\n\t\tf(c)\n\t}\n}\n",
			"package a; import hocketKeep \"runtime\" // text\n\nfunc f(c chan int) { var hocketRounds struct { p *hocketKeep.Func; n1, n2 uint32 }; hocketKeep.KeepAlive(&hocketRounds); \n\thocketRounds.n1 = 0; for { hocketRounds.n1++; \n\t\thocketRounds.n2 = 0; for <-c > 0 { hocketRounds.n2++; \n\t\t}\n\t\tf(c)\n\t}\n}\n"},
		{"a channel", "package a\n\nfunc f(c chan int) {\n\tfor range c {\n\t}\n}\n", "package a; import hocketKeep \"runtime\"\n\nfunc f(c chan int) { var hocketRounds struct { p *hocketKeep.Func; n1 uint32 }; hocketKeep.KeepAlive(&hocketRounds); \n\thocketRounds.n1 = 0; for range c { hocketRounds.n1++; \n\t}\n}\n"},
		{"labels, functions within",
			"package a\n\nfunc f() {\nouter:\n\tfor {\n\t\tgo func() {\n\t\t\tfor f() {\n\t\t\t}\n\t\t}()\n\t\tcontinue outer\n\t}\n}\n",
			"package a; import hocketKeep \"runtime\"\n\nfunc f() { var hocketRounds struct { p *hocketKeep.Func; n1 uint32 }; hocketKeep.KeepAlive(&hocketRounds); \nhocketRounds.n1 = 0; outer:\n\tfor { hocketRounds.n1++; \n\t\tgo func() { var hocketRounds struct { p *hocketKeep.Func; n1 uint32 }; hocketKeep.KeepAlive(&hocketRounds); \n\t\t\thocketRounds.n1 = 0; for f() { hocketRounds.n1++; \n\t\t\t}\n\t\t}()\n\t\tcontinue outer\n\t}\n}\n"},
		{"a function with a directive", "package a\n\n//go:nosplit\nfunc f() {\n\tfor {\n\t\tf()\n\t}\n}\n", "package a\n\n//go:nosplit\nfunc f() {\n\tfor {\n\t\tf()\n\t}\n}\n"},
		{"cgo", "package a\n\nimport \"C\"\n\nfunc f() {\n\tfor {\n\t\tf()\n\t}\n}\n", "package a\n\nimport \"C\"\n\nfunc f() {\n\tfor {\n\t\tf()\n\t}\n}\n"},
		{"another uint32", "package a\n\nfunc f(uint32 []int) {\n\tfor range uint32 {\n\t\tf(nil)\n\t}\n}\n", "package a\n\nfunc f(uint32 []int) {\n\tfor range uint32 {\n\t\tf(nil)\n\t}\n}\n"},
		{"one line", "package a\n\nfunc f() { for { f() } }\n", "package a; import hocketKeep \"runtime\"\n\nfunc f() { var hocketRounds struct { p *hocketKeep.Func; n1 uint32 }; hocketKeep.KeepAlive(&hocketRounds);  hocketRounds.n1 = 0; for { hocketRounds.n1++;  f() } }\n"},
	} {
		got, _, err := rounds.Count("a.go", []byte(c.in))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.name, err, got, c.want)
		}
	}
	if _, _, err := rounds.Count("a.go", []byte("package")); err == nil || !strings.Contains(err.Error(), "a.go:1") {
		t.Errorf("no error that names the place: %v", err)
	}
}

// TestStandardLibrary: packages of many kinds of loops compile and do the same with
// counters, no line moves, and the counters are those that Of tells.
func TestStandardLibrary(t *testing.T) {
	packages := []string{"encoding/json", "text/template", "regexp/syntax", "go/printer", "container/list"}
	replace, counted := map[string]string{}, 0
	dir := t.TempDir()
	for _, pkg := range packages {
		files, err := filepath.Glob(filepath.Join(runtime.GOROOT(), "src", pkg, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pkg, err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got, n, err := rounds.Count(name, text)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Count(string(got), "\n") != strings.Count(string(text), "\n") {
				t.Errorf("%s: lines moved", name)
			}
			if n == 0 {
				continue
			}
			counted += n
			sameNames(t, name, text, n)
			to := filepath.Join(dir, strings.ReplaceAll(pkg, "/", "_")+"_"+filepath.Base(name))
			if err := os.WriteFile(to, got, 0o666); err != nil {
				t.Fatal(err)
			}
			replace[name] = to
		}
	}
	if counted < 300 {
		t.Errorf("only %d loops have counters", counted)
	}
	desc, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, desc, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", append([]string{"test", "-short", "-vet=off", "-overlay", overlay}, packages...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func sameNames(t *testing.T, name string, text []byte, n int) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	of := rounds.Of(f)
	for st, counter := range of {
		switch st.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
		default:
			t.Errorf("%s: %T has a counter", name, st)
		}
		if !strings.HasPrefix(counter, rounds.Variable+".n") {
			t.Errorf("%s: a counter called %s", name, counter)
		}
	}
	if len(of) != n {
		t.Errorf("%s: %d counters are told of %d", name, len(of), n)
	}
}
