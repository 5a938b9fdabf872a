package instrument

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hocket-dev/hocket/internal/textedit"
)

// recordToolVersion is part of the identity of what RecordTool compiles: raise it
// with each change of what it does to sources.
const recordToolVersion = "hocket-record-1"

// RecordTool is what a go command runs with -toolexec in a recording build: args are
// a tool of the Go distribution and its arguments. Atomic operations are instructions
// that the compiler puts in place of calls of sync/atomic's functions, so the sources
// that it is given call the recorded functions instead. It returns the exit code.
func RecordTool(args []string) int {
	if len(args) == 0 {
		fmt.Fprintln(os.Stderr, "hocket: a go command starts this with -toolexec")
		return 2
	}
	tool := strings.TrimSuffix(filepath.Base(args[0]), ".exe")
	switch {
	case tool == "compile" && slices.Contains(args, "-V=full"):
		// What it compiles is another thing to the build cache.
		out, err := exec.Command(args[0], args[1:]...).Output()
		if err != nil {
			return toolFailed(err)
		}
		fmt.Println(strings.TrimSpace(string(out)), recordToolVersion)
		return 0
	case tool == "compile":
		dir, err := redirect(args)
		if dir != "" {
			defer os.RemoveAll(dir)
		}
		if err != nil {
			return toolFailed(err)
		}
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return toolFailed(err)
	}
	return 0
}

func toolFailed(err error) int {
	if ee, ok := err.(*exec.ExitError); ok {
		os.Stderr.Write(ee.Stderr)
		return max(ee.ExitCode(), 1)
	}
	fmt.Fprintln(os.Stderr, "hocket:", err)
	return 1
}

// unrecorded: what operations are made of, and what runs below them.
func unrecorded(pkg string) bool {
	switch pkg {
	case "sync", "sync/atomic", "internal/sync", "runtime", "internal/race", "internal/synctest", rawAtomics:
		return true
	}
	return strings.HasPrefix(pkg, "runtime/internal/") || strings.HasPrefix(pkg, "internal/runtime/")
}

// redirect replaces source files of a compiler's arguments by edited copies in a
// folder of their own, "" if there are none.
func redirect(args []string) (dir string, err error) {
	for i, a := range args {
		if a == "-p" && i+1 < len(args) && unrecorded(args[i+1]) {
			return "", nil
		}
	}
	for i, a := range args {
		if i == 0 || !strings.HasSuffix(a, ".go") || strings.HasPrefix(a, "-") {
			continue
		}
		text, err := os.ReadFile(a)
		if err != nil || !bytes.Contains(text, []byte(`"sync/atomic"`)) {
			continue // the compiler tells what can't be read
		}
		edited, changed := redirectAtomics(a, text)
		if !changed {
			continue
		}
		if dir == "" {
			if dir, err = os.MkdirTemp(os.Getenv("GOTMPDIR"), "hocket-record-"); err != nil {
				return "", err
			}
		}
		full, err := filepath.Abs(a)
		if err != nil {
			return dir, err
		}
		copy := filepath.Join(dir, strconv.Itoa(i)+"-"+filepath.Base(a))
		if err := os.WriteFile(copy, append([]byte("//line "+full+":1\n"), edited...), 0o666); err != nil {
			return dir, err
		}
		args[i] = copy
	}
	return dir, nil
}

// redirectAtomics makes a source file use the recorded functions of sync/atomic.
// Lines stay where they are. What doesn't parse is left to the compiler.
func redirectAtomics(name string, text []byte) (out []byte, changed bool) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, text, 0)
	if err != nil {
		return nil, false
	}
	pkg := ""
	for _, imp := range f.Imports {
		if imp.Path.Value == `"sync/atomic"` {
			pkg = "atomic"
			if imp.Name != nil {
				pkg = imp.Name.Name
			}
		}
	}
	if pkg == "" || pkg == "_" {
		return nil, false
	}
	var edits []textedit.Edit
	at := func(id *ast.Ident) {
		if isAtomicFunc(id.Name) {
			o := fset.PositionFor(id.Pos(), false).Offset
			edits = append(edits, textedit.Edit{From: o, To: o, Text: RecordedPrefix})
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == pkg && x.Obj == nil {
				at(s.Sel)
			}
		}
		return true
	})
	if pkg == "." {
		for _, id := range f.Unresolved {
			at(id)
		}
	}
	if len(edits) == 0 {
		return nil, false
	}
	out, err = textedit.Apply(text, edits)
	return out, err == nil
}

func isAtomicFunc(name string) bool {
	for _, verb := range []string{"CompareAndSwap", "Swap", "Add", "And", "Or", "Load", "Store"} {
		if typ, ok := strings.CutPrefix(name, verb); ok {
			_, known := atomicTypes[typ]
			return known || typ == "Pointer" && verb != "Add" && verb != "And" && verb != "Or"
		}
	}
	return false
}
