package points

import (
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/hocket-dev/hocket/engine/instrument"
)

// allSides puts sides of breakpoints (numbers from 1, two sides each) at every
// statement of a source and at every operand that can be a place of its own.
func allSides(t *testing.T, name string, src []byte, first int) []Place {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var places []Place
	seen := map[string]bool{}
	ast.PreorderStack(f, nil, func(n ast.Node, stack []ast.Node) bool {
		if !slices.ContainsFunc(stack, func(n ast.Node) bool { _, block := n.(*ast.BlockStmt); return block }) {
			return true // package-level initialisation
		}
		switch x := n.(type) {
		case *ast.BlockStmt, *ast.EmptyStmt, *ast.LabeledStmt:
			return true
		case *ast.BinaryExpr:
			if x.Op == token.LAND || x.Op == token.LOR {
				n = x.Y
			}
		case ast.Stmt:
		default:
			return true
		}
		p := fset.PositionFor(n.Pos(), false)
		if key := fmt.Sprint(p.Line, p.Column); !seen[key] {
			seen[key] = true
			i := len(places)
			places = append(places, Place{Kind: Side, ID: first + i/2, Side: i%2 + 1, File: name, Line: p.Line, Col: p.Column, Each: i%3 == 0})
		}
		return true
	})
	return places
}

// positions are the tokens of a source, each with the place that compilers give
// it.
func positions(t *testing.T, name string, src []byte) []string {
	t.Helper()
	fset := token.NewFileSet()
	file := fset.AddFile(name, -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	var out []string
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return out
		}
		if tok != token.SEMICOLON || lit == ";" { // not those that ends of lines stand for
			out = append(out, fmt.Sprintf("%v %v %s", fset.Position(pos), tok, lit))
		}
	}
}

// keepsPositions fails unless every token of the source is in the edited one at
// its line and column, in order.
func keepsPositions(t *testing.T, name string, src, edited []byte) {
	t.Helper()
	was, is := positions(t, name, src), positions(t, name, edited)
	i := 0
	for _, tok := range is {
		if i < len(was) && was[i] == tok {
			i++
		}
	}
	if i < len(was) {
		t.Errorf("%s: the token %s is lost, or elsewhere", name, was[i])
	}
}

// Whatever statements of real sources get sides, every token stays at its line
// and column. The Go installation has all there is.
func TestSidesKeepPositions(t *testing.T) {
	root := filepath.Join(runtime.GOROOT(), "src")
	files := []string{}
	for _, pattern := range []string{"sync/*.go", "net/http/[a-j]*r.go", "internal/zstd/*.go", "text/template/exec*.go", "container/*/*.go"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) < 40 {
		t.Fatalf("only %d files", len(files))
	}
	total := 0
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		places := allSides(t, name, src, 1)
		out, skipped, err := Inject(name, src, places)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, s := range skipped {
			if !strings.Contains(s.Reason, "a goto jumps") {
				t.Errorf("%v", s)
			}
		}
		total += len(places) - len(skipped)
		keepsPositions(t, name, src, out)
	}
	t.Logf("%d sides in %d files", total, len(files))
}

// zoo has each kind of statement, names that hide predeclared ones, and prints
// where it is.
const zoo = `
-- go.mod --
module example.com/zoo

go 1.26
-- zoo.go --
package main; import ("fmt"; "os"; "runtime"; "runtime/debug"; "strings")

type flag bool

type bool2 = bool

func here(what string) int {
	_, file, line, _ := runtime.Caller(1)
	fmt.Println(what, file[strings.LastIndex(file, "/")+1:], line)
	return line
}

type tree[T any] struct { l, r *tree[T]; v T }

func (t *tree[T]) walk(f func(T) bool) bool {
	if t == nil { return true } else if !t.l.walk(f) { return false } else if f(t.v) && t.r.walk(f) { return true }
	return false
}

func shadows(len, cap int) (nil error) {
	type bool int
	type int string
	true := bool(3); false, any := true, len
	if true == false { here("shadow"); cap++ }
	_, _ = any, cap
	return
}

func named(b flag) (s string) {
	defer func() { s += fmt.Sprint(recover() != nil) }(); defer here("deferred")
	for b { b = false }
	for b || !b { break }
	x := b && flag(here("operand") > 0) || flag(here("other") > 0)
	switch { case bool(x): here("x"); fallthrough; case here("y") > 0: here("z"); default: panic("no") }
	switch y := any(x).(type) { case flag: _ = y; here("type"); case int, string: }
	if p := (*tree[int])(nil); b { return "b" } else if p == nil && x { return p.fail() }
	panic("end")
}

func (t *tree[T]) fail() string { here("fail"); panic(fmt.Sprint(t == nil)) }

func loops() (n int) {
	ch := make(chan int, 9); for i := range 9 { ch <- i }; close(ch)
outer:
	for v := range ch {
		for j := 0; j < v; j, n = j+1, n+1 { if j == 3 { continue outer }; if j*v > 20 { break outer } }
		select { case w, ok := <-ch: if !ok { break outer }; n += w; default: n-- }
	}
	for i, c := range "abc" { n += i * int(c) }
	for range 3 { n++ }
	for f := range func(yield func(int) bool) { _ = yield(1) && yield(2) } { n += f }
	i := 0
again: i++; if i < 3 { goto again }
	var fs []func() int; for i := 0; i < 3; i++ { fs = append(fs, func() int { i++; return i }) }
	for _, f := range fs { n += f() + f() }
	{ var a, b = 1, 2; a, b = b, a; n += a; _ = b }
	const k = 3; type local struct{ x int }; var l local; l.x += k; n += l.x
	return n + func() int { return i }()
}

func gone() int { for { if here("gone") > 0 { return 1 } } }

func must(x int) int { if x > 0 { return x } else { panic("x") } }

func last(x int) int { switch { case x > 0: return here("last"); default: panic("last") } }

func escape(n int) *int { m := n; go func(k int) { m += k }(n); p := &m; return p }

var initialised = func() int { x := here("package"); return x }()

func main() {
	t := &tree[string]{v: "m", l: &tree[string]{v: "a"}, r: &tree[string]{v: "z"}}
	fmt.Println(t.walk(func(s string) bool { fmt.Print(s, " "); return s != "q" }), shadows(1, 2), named(true), loops(), gone(), must(1), last(1), *escape(0) >= 0)
	done := make(chan struct{}); go func() { defer close(done); here("go") }(); <-done
	func() { defer func() { recover(); for _, l := range strings.Split(string(debug.Stack()), "\n") { if i := strings.Index(l, "zoo.go"); i >= 0 { fmt.Println(strings.Split(l[i:], " ")[0]) } else if strings.HasPrefix(l, "main.") { fmt.Println(strings.Split(l, "(0")[0]) } } }(); var m map[string]int; m["x"]++ }()
	if len(os.Args) > 9 { os.Exit(3) }
	var p *tree[int]; here("end"); p.v = p.v + must(p.v) }
`

// Sides at every statement, of breakpoints that are off, change neither what a
// program does nor where its lines are.
func TestSidesKeepTheProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs programs")
	}
	dir := unpack(t, zoo)
	name := filepath.Join(dir, "zoo.go")
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	places := allSides(t, name, src, 1)
	if len(places) < 150 {
		t.Fatalf("only %d places", len(places))
	}
	out, _, err := Inject(name, src, places)
	if err != nil {
		t.Fatal(err)
	}
	keepsPositions(t, name, src, out)
	b, err := Prepare(t.Context(), instrument.Target{Dir: dir, Entry: "main"}, t.TempDir(), places)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range b.Skipped {
		t.Errorf("skipped: %v", s)
	}
	lines := strings.Split(string(src), "\n")
	for _, opt := range []string{"", "-N -l"} {
		plainBin := goBuild(t, "go", dir, nil, "-gcflags="+opt)
		sidesBin := goBuild(t, b.Go, dir, b.Env, append(b.Flags, "-gcflags="+opt)...)
		if plain, sides := outcome(t, dir, plainBin), outcome(t, dir, sidesBin); plain != sides {
			t.Errorf("-gcflags=%q: plain:\n%s\nwith sides:\n%s", opt, plain, sides)
		}
		plain, sides := debugPlaces(t, plainBin, name), debugPlaces(t, sidesBin, name)
		for line := range plain {
			if !sides[line] {
				t.Errorf("-gcflags=%q: a debugger can't stop at line %d any more", opt, line)
			}
		}
		for line := range sides {
			if strings.TrimSpace(lines[line-1]) == "" {
				t.Errorf("-gcflags=%q: a debugger would show the empty line %d", opt, line)
			}
		}
	}
}

// debugPlaces are the lines of a file that debuggers know.
func debugPlaces(t *testing.T, bin, file string) map[int]bool {
	t.Helper()
	f, err := elf.Open(bin)
	if err != nil {
		t.Skip("no ELF file: " + err.Error())
	}
	defer f.Close()
	d, err := f.DWARF()
	if err != nil {
		t.Fatal(err)
	}
	lines := map[int]bool{}
	r := d.Reader()
	for {
		e, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if e == nil {
			break
		}
		if e.Tag != dwarf.TagCompileUnit {
			r.SkipChildren()
			continue
		}
		if lr, err := d.LineReader(e); err == nil && lr != nil {
			var le dwarf.LineEntry
			for lr.Next(&le) == nil {
				if le.File != nil && le.File.Name == file {
					lines[le.Line] = true
				}
			}
		}
		r.SkipChildren()
	}
	if len(lines) == 0 {
		t.Fatalf("no lines of %s", file)
	}
	return lines
}

func unpack(t *testing.T, archive string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		files[f.Name] = string(f.Data)
	}
	writeFiles(t, dir, files)
	return dir
}

func goBuild(t *testing.T, goCmd, dir string, env []string, flags ...string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "prog")
	cmd := exec.Command(goCmd, append(append([]string{"build", "-o", bin}, flags...), ".")...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return bin
}

// outcome is what a program prints, and how it ends, without addresses.
func outcome(t *testing.T, dir, bin string) string {
	t.Helper()
	cmd := exec.Command(bin)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	var kept []string
	for line := range strings.Lines(string(out)) {
		line, _, _ = strings.Cut(line, " +0x")
		line, _, _ = strings.Cut(line, "(0x")
		line, _, _ = strings.Cut(line, " pc=")
		kept = append(kept, strings.TrimSpace(line))
	}
	return fmt.Sprintf("%s\n%v", strings.Join(kept, "\n"), err)
}
