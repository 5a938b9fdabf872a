package instrument

import (
	"bufio"
	"bytes"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hocket-dev/hocket/internal/process"
)

// blind lists calls of the program's packages outside std whose accesses no
// trace contains, such as "os.ReadFile", sorted: state outside the process, the
// runtime's own, and memory that is accessed by packages compiled without hooks
// or by assembly. Communication of goroutines through it is not recorded, so
// that nothing can be proved about such programs. The list goes by names alone:
// a call in it may be harmless. Listed as well are the directives go:linkname,
// which calls by any name, and go:norace, which leaves hooks out, and the files
// that are not Go alone: assembly, objects, and Go that calls C.
func (tc *Toolchain) blind(ctx context.Context, t Target) ([]string, error) {
	const format = `{{if not .Standard}}{{range .GoFiles}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}` +
		`{{range .CgoFiles}}{{.}}{{"\n"}}{{end}}{{range .SFiles}}{{.}}{{"\n"}}{{end}}{{range .SysoFiles}}{{.}}{{"\n"}}{{end}}{{end}}`
	args := append([]string{"list", "-e", "-deps", "-f", format}, slices.Concat(t.Flags, t.Overlay.Flags())...)
	if t.Test {
		args = append(args, "-test")
	}
	text, err := process.Output(ctx, tc.Command(ctx, t, append(args, ".")...))
	if err != nil {
		return nil, err
	}
	var out []string
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		name := lines.Text()
		if !filepath.IsAbs(name) {
			out = append(out, name)
			continue
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "/_testmain.go") {
			continue // the main package of tests is generated
		}
		src, err := t.Overlay.ReadFile(name)
		if err != nil {
			continue // generated into the build cache
		}
		if f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ParseComments|parser.SkipObjectResolution); err == nil {
			out = append(out, blindCalls(f)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// blindCalls lists those of one file.
func blindCalls(f *ast.File) (out []string) {
	imports := map[string]string{}
	for _, s := range f.Imports {
		p, _ := strconv.Unquote(s.Path.Value)
		name := path.Base(strings.TrimSuffix(p, "/v2"))
		if s.Name != nil {
			name = s.Name.Name
		}
		if name == "." && isBlind(p, "") {
			out = append(out, p)
		}
		imports[name] = p
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			for _, d := range []string{"go:linkname", "go:norace"} {
				if c.Text == "//"+d || strings.HasPrefix(c.Text, "//"+d+" ") {
					out = append(out, d)
				}
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && imports[x.Name] != "" && isBlind(imports[x.Name], n.Sel.Name) {
				out = append(out, imports[x.Name]+"."+n.Sel.Name)
			}
		case *ast.CallExpr:
			if x, ok := n.Fun.(*ast.Ident); ok && x.Name == "clear" {
				out = append(out, x.Name)
			}
		}
		return true
	})
	return out
}

// tellsCollection reports whether a call of blind lets a program tell when
// memory is collected.
func tellsCollection(call string) bool {
	return call == "runtime.SetFinalizer" || call == "runtime.AddCleanup" || call == "weak" || strings.HasPrefix(call, "weak.")
}

// isBlind judges a name of a package, "" for all of them.
func isBlind(pkg, name string) bool {
	if only, ok := blindNames[pkg]; ok {
		return name == "" || slices.Contains(only, name)
	}
	if but, ok := seeingNames[pkg]; ok {
		return !slices.Contains(but, name)
	}
	for _, p := range blindPackages {
		if pkg == p || strings.HasPrefix(pkg, p+"/") {
			return true
		}
	}
	return false
}

// blindNames: nothing else of these packages is blind.
var blindNames = map[string][]string{
	"runtime": {
		"NumGoroutine", "Stack", "GoroutineProfile", "ReadMemStats", "SetFinalizer", "AddCleanup", "MemProfile", "BlockProfile", "MutexProfile",
		"GC", "GOMAXPROCS", "NumCgoCall", "SetBlockProfileRate", "SetMutexProfileFraction", "ThreadCreateProfile",
	},
	"time":          {"Now", "Since", "Until"},
	"fmt":           {"Scan", "Scanf", "Scanln", "Sscan", "Sscanf", "Sscanln", "Fscan", "Fscanf", "Fscanln", "Append", "Appendf", "Appendln"},
	"strconv":       {"AppendBool", "AppendFloat", "AppendInt", "AppendQuote", "AppendQuoteRune", "AppendQuoteToASCII", "AppendUint"},
	"errors":        {"As"},
	"sort":          {"Slice", "SliceStable"},
	"testing":       {"AllocsPerRun", "Benchmark"},
	"flag":          {"Set"},
	"iter":          {"Pull", "Pull2"}, // a coroutine's variables are on its stack
	"path/filepath": {"EvalSymlinks", "Glob", "Walk", "WalkDir"},
	"unicode/utf8":  {"AppendRune", "DecodeLastRune", "DecodeRune", "EncodeRune", "FullRune", "RuneCount", "Valid"},
	"unicode/utf16": {"AppendRune", "Decode", "Encode"},
	// Addresses show which goroutine allocated first, and accesses through them
	// have no hooks.
	"unsafe": {"Add", "Pointer", "Slice", "SliceData", "String", "StringData"},
}

// seeingNames: all else of these packages is blind.
var seeingNames = map[string][]string{
	"os": {
		"Exit", "Args", "Stdout", "Stderr", "Getenv", "LookupEnv", "Getpid", "Interrupt", "Signal", "File", "FileMode", "PathError",
		"ErrNotExist", "ErrExist", "ErrPermission", "ErrClosed", "ErrDeadlineExceeded", "ErrInvalid", "IsNotExist", "IsExist", "DevNull", "PathSeparator",
	},
	"bytes":   {"Buffer", "NewBuffer", "NewBufferString", "Reader", "NewReader", "Equal", "HasPrefix", "HasSuffix", "MinRead", "ErrTooLarge"},
	"reflect": {"TypeOf", "TypeFor", "Type", "Kind", "Method"},
	"runtime/debug": {
		"BuildInfo", "BuildSetting", "Module", "ParseBuildInfo", "PrintStack", "ReadBuildInfo", "SetPanicOnFault", "SetTraceback",
	},
}

// blindPackages are so with those below them.
var blindPackages = []string{
	"archive", "compress", "crypto", "database", "debug", "encoding", "go", "hash/crc32", "hash/maphash", "html/template", "io/ioutil", "log/syslog",
	"math/big", "math/rand", "net", "os", "plugin", "regexp", "runtime/cgo", "runtime/coverage", "runtime/metrics", "runtime/pprof", "runtime/trace", "syscall", "text/template", "weak",
}
