// Package programs are what the benchmarks run on: folders of cases, and the
// GoKer kernels that the Go distribution carries.
package programs

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Kernel is one program of the suite.
type Kernel struct {
	Name  string // argument that selects it
	Leaks []Leak // that the runtime's own test expects; nil if it leaves the kernel out
}

// Leak is one goroutine that must be among the blocked ones.
type Leak struct {
	Entry  *regexp.Regexp // function in which the goroutine began, as Hocket shows it
	Reason string         // wait reason of the runtime
}

// Kernels copies the suite of the Go distribution into a module at dir.
func Kernels(ctx context.Context, dir string) ([]Kernel, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	runtime := filepath.Join(strings.TrimSpace(string(out)), "src", "runtime")
	suite := filepath.Join(runtime, "testdata", "testgoroutineleakprofile")
	files, err := filepath.Glob(filepath.Join(suite, "goker", "*.go"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("%s has no kernels", suite)
	}
	expected, err := expectations(filepath.Join(runtime, "goroutineleakprofile_test.go"))
	if err != nil {
		return nil, err
	}
	var all []Kernel
	for _, file := range append(files, filepath.Join(suite, "main.go")) {
		src, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(file)), src, 0o644); err != nil {
			return nil, err
		}
		if m := registered.FindSubmatch(src); m != nil {
			all = append(all, Kernel{string(m[1]), expected[string(m[1])]})
		}
	}
	return all, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/goker\n\ngo 1.26\n"), 0o644)
}

var registered = regexp.MustCompile(`register(?:Init)?\("(\w+)"`)

// expectations reads the tables of the runtime's test.
func expectations(file string) (map[string][]Leak, error) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		return nil, err
	}
	found := map[string][]Leak{}
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		fn, ok := call.Fun.(*ast.Ident)
		if !ok || !slices.Contains([]string{"makeTest", "makeFlakyTest", "makeAnyTest"}, fn.Name) {
			return true
		}
		var texts []string
		for _, a := range call.Args {
			if lit, ok := a.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil {
					texts = append(texts, s)
				}
			}
		}
		for i, text := range texts {
			if i > 0 {
				l, e := ParseLeak(text)
				err = errors.Join(err, e)
				found[texts[0]] = append(found[texts[0]], l)
			}
		}
		return true
	})
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s has no table of expected leaks", file)
	}
	return found, err
}

var methodOfPointer = strings.NewReplacer(`\(\*`, "", `\(*`, "", `)\.`, ".", `\)`, "", `\.`, ".")

// ParseLeak reads a pattern such as `\(\*T\)\.run\.func1\(.* \[sync\.Mutex\.Lock\]`.
// Hocket shows that function as T.run.func1.
func ParseLeak(pattern string) (Leak, error) {
	fn, reason, ok := strings.Cut(pattern, `.* \[`)
	if !ok {
		return Leak{}, fmt.Errorf("pattern %s is of an unknown form", pattern)
	}
	fn = methodOfPointer.Replace(strings.TrimSuffix(fn, `\(`))
	entry, err := regexp.Compile("^" + regexp.QuoteMeta(fn) + "$")
	reason = strings.ReplaceAll(strings.TrimSuffix(reason, `\]`), `\`, "")
	return Leak{entry, reason}, err
}
