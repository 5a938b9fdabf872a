package main

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

	"github.com/hocket-dev/hocket/engine/report"
)

// kernel is one program of the suite.
type kernel struct {
	name  string // argument that selects it
	leaks []leak // that the runtime's own test expects; nil if it leaves the kernel out
}

// leak is one goroutine that must be among the blocked ones.
type leak struct {
	entry  *regexp.Regexp // function in which the goroutine began, as Hocket shows it
	reason string         // wait reason of the runtime
}

// load copies the suite of the Go distribution into a module at dir.
func load(ctx context.Context, dir string) ([]kernel, error) {
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
	var all []kernel
	for _, file := range append(files, filepath.Join(suite, "main.go")) {
		src, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(file)), src, 0o644); err != nil {
			return nil, err
		}
		if m := registered.FindSubmatch(src); m != nil {
			all = append(all, kernel{string(m[1]), expected[string(m[1])]})
		}
	}
	return all, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/goker\n\ngo 1.26\n"), 0o644)
}

var registered = regexp.MustCompile(`register(?:Init)?\("(\w+)"`)

// expectations reads the tables of the runtime's test.
func expectations(file string) (map[string][]leak, error) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		return nil, err
	}
	found := map[string][]leak{}
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
				l, e := parseLeak(text)
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

// parseLeak reads a pattern such as `\(\*T\)\.run\.func1\(.* \[sync\.Mutex\.Lock\]`.
// Hocket shows that function as T.run.func1.
func parseLeak(pattern string) (leak, error) {
	fn, reason, ok := strings.Cut(pattern, `.* \[`)
	if !ok {
		return leak{}, fmt.Errorf("pattern %s is of an unknown form", pattern)
	}
	fn = methodOfPointer.Replace(strings.TrimSuffix(fn, `\(`))
	entry, err := regexp.Compile("^" + regexp.QuoteMeta(fn) + "$")
	reason = strings.ReplaceAll(strings.TrimSuffix(reason, `\]`), `\`, "")
	return leak{entry, reason}, err
}

// waits are the wait reasons of the runtime by Hocket's words.
var waits = map[string][]string{
	"lock":    {"sync.Mutex.Lock", "sync.RWMutex.Lock", "sync.(RW)?Mutex.Lock"},
	"rlock":   {"sync.RWMutex.RLock"},
	"send":    {"chan send", "chan send (nil chan)"},
	"receive": {"chan receive", "chan receive (nil chan)"},
	"select":  {"select", "select (no cases)"},
	"wait":    {"sync.WaitGroup.Wait", "sync.Cond.Wait"},
}

var number = regexp.MustCompile(`#\d+$`)

// fits reports whether the blocked goroutine is the expected one.
func (l leak) fits(b report.Blocked) bool {
	word, _, _ := strings.Cut(b.On, " ")
	return l.entry.MatchString(number.ReplaceAllString(b.Goroutine, "")) && slices.Contains(waits[word], l.reason)
}

// seen counts the expected leaks that the finding shows.
func (k kernel) seen(f *report.Finding) int {
	n := 0
	for _, l := range k.leaks {
		if slices.ContainsFunc(f.Blocked, l.fits) {
			n++
		}
	}
	return n
}
