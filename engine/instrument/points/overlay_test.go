package points

import (
	"archive/zip"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/trace"
)

const behaviour = `
-- go.mod --
module example.com/m

go 1.25

require example.com/dep v1.0.0
-- main.go --
//go:build !never

package main

import (
	"fmt"
	"os"
	"sync"

	"example.com/dep"
)

type named bool

type list[T any] struct{ mu sync.Mutex; v []T }

func (l *list[T]) add(v T) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.v = append(l.v, v)
	return len(l.v)
}

func main() {
	l := &list[int]{}
	ch := make(chan int, 8)
	for i := 0; i < 3; ch <- l.add(i) {
		i++
	}
	close(ch)
	sum := 0
loop:
	for v := range ch {
		switch {
		case v == 2:
			continue loop
		case v > 5:
			break loop
		}
		sum += v
	}
	if x, ok := <-ch; ok {
		sum += x
	} else if y := l.add(7); y > 0 && l.add(8) > 3 {
		sum += y
	}
	if n := dep.Count(3); n != 3 { sum = -1 }
	for b := named(true); b && named(l.add(9) > 0); { b = false }
	for b := named(l.add(10) > 0); b; { b = named(l.add(11) < 0) || false }
	fmt.Println(sum, len(l.v))
	defer func() {
		fmt.Println(recover())
		var p *list[int]
		if len(os.Args) > 1 {
			p.add(1)
		}
	}()
	panic("done")
}
-- main_test.go --
package main_test

import "testing"

func TestX(t *testing.T) {
	c := make(chan int, 1)
	c <- 1
	select {
	case v, ok := <-c:
		t.Log(v, ok)
	}
}
`

const dependency = `
-- go.mod --
module example.com/dep

go 1.25
-- dep.go --
package dep

import "sync"

// Count counts.
func Count(n int) int {
	var mu sync.Mutex
	c := 0
	for range n {
		mu.Lock()
		c++
		mu.Unlock()
	}
	return c
}
`

// modCache makes a module cache that the go command fills from a proxy in a
// folder, so that the test needs no network.
func modCache(t *testing.T, root string) []string {
	t.Helper()
	dir := filepath.Join(root, "proxy", "example.com", "dep", "@v")
	ar := txtar.Parse([]byte(dependency))
	writeFiles(t, dir, map[string]string{
		"list": "v1.0.0\n", "v1.0.0.mod": string(ar.Files[0].Data), "v1.0.0.info": `{"Version":"v1.0.0"}`})
	f, err := os.Create(filepath.Join(dir, "v1.0.0.zip"))
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for _, file := range ar.Files {
		w, err := z.Create("example.com/dep@v1.0.0/" + file.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(file.Data); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return []string{"GOPROXY=file://" + filepath.Join(root, "proxy"), "GOMODCACHE=" + filepath.Join(root, "cache"),
		"GONOSUMDB=*", "GOFLAGS=-modcacherw -mod=mod"}
}

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

func goRun(t *testing.T, tg instrument.Target, goCmd string, args ...string) string {
	t.Helper()
	cmd := exec.Command(goCmd, args...)
	cmd.Dir, cmd.Env = tg.Dir, tg.Environ()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// everywhere asks for points of every kind at every line of a file.
func everywhere(file, text string) []Place {
	var places []Place
	for i := range strings.Split(text, "\n") {
		for _, op := range []trace.Op{trace.OpNone, trace.OpLock, trace.OpUnlock, trace.OpSend, trace.OpRecv, trace.OpClose, trace.OpWrite} {
			places = append(places, Place{ID: len(places) + 1, Kind: At, File: file, Line: i + 1, Op: op})
		}
		places = append(places,
			Place{ID: len(places) + 1, Kind: Split, File: file, Line: i + 1},
			Place{ID: len(places) + 2, Kind: Select, File: file, Line: i + 1})
	}
	return places
}

// Points everywhere change neither what a program prints nor the lines in its
// panics; they get into dependencies of the module cache and into tests.
func TestBehaviour(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tg := instrument.Target{Dir: filepath.Join(root, "m"), ImportPath: "example.com/m", Entry: "main", Env: modCache(t, root)}
	files := map[string]string{}
	for _, f := range txtar.Parse([]byte(behaviour)).Files {
		files[f.Name] = string(f.Data)
	}
	writeFiles(t, tg.Dir, files)
	plain := filepath.Join(root, "plain")
	goRun(t, tg, "go", "build", "-o", plain, ".")

	dep := filepath.Join(root, "cache", "example.com", "dep@v1.0.0", "dep.go")
	depText, err := os.ReadFile(dep)
	if err != nil {
		t.Fatal(err)
	}
	places := slices.Concat(everywhere(filepath.Join(tg.Dir, "main.go"), files["main.go"]),
		everywhere(filepath.Join(tg.Dir, "main_test.go"), files["main_test.go"]), everywhere(dep, string(depText)),
		[]Place{{Kind: Linger, File: filepath.Join(tg.Dir, "main.go"), Func: "main"}})
	b, err := Prepare(t.Context(), tg, filepath.Join(root, "build"), places)
	if err != nil {
		t.Fatal(err)
	}
	pointed := filepath.Join(root, "pointed")
	goRun(t, tg, b.Go, slices.Concat([]string{"build", "-o", pointed}, b.Flags, []string{"."})...)
	for _, args := range [][]string{nil, {"crash"}} {
		want, got := output(plain, args), output(pointed, args)
		if want != got {
			t.Errorf("args %v: plain prints\n%s\nwith points\n%s", args, want, got)
		}
	}
	if !strings.Contains(output(pointed, []string{"crash"}), "main.go:18") {
		t.Errorf("the panic does not show its line:\n%s", output(pointed, []string{"crash"}))
	}
	overlay, err := os.ReadFile(filepath.Join(root, "build", "overlay.json"))
	if err != nil || !strings.Contains(string(overlay), "mod/example.com/dep/dep.go") {
		t.Errorf("the dependency is not moved: %v\n%s", err, overlay)
	}
	test := goRun(t, tg, b.Go, slices.Concat([]string{"test", "-vet=off", "-v"}, b.Flags, []string{"."})...)
	if !strings.Contains(test, "--- PASS: TestX") {
		t.Error(test)
	}
	for name, text := range files {
		if now, _ := os.ReadFile(filepath.Join(tg.Dir, name)); string(now) != text && name != "go.mod" {
			t.Errorf("%s was changed on disk", name)
		}
	}
}

// output is what a program prints, with of tracebacks only the user's lines.
func output(bin string, args []string) string {
	out, _ := exec.Command(bin, args...).CombinedOutput() // crashing is one of the cases
	text, trace, _ := strings.Cut(string(out), "[signal ")
	for line := range strings.Lines(trace) {
		if at := strings.Index(line, "main.go:"); at >= 0 {
			line, _, _ = strings.Cut(line[at:], " ")
			text += strings.TrimSpace(line) + "\n"
		}
	}
	return text
}

// Dependencies get points in workspace mode too, whatever the workspace's files
// replace, and from a folder below it.
func TestWorkspace(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	for name, replace := range map[string]string{
		"plain":    "",
		"replaced": "\nreplace example.com/dep => example.com/dep v1.0.0\n\nreplace example.com/other => ./other\n",
		"version":  "\nreplace example.com/dep v1.0.0 => example.com/dep v1.0.0\n",
	} {
		t.Run(name, func(t *testing.T) {
			root, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			tg := instrument.Target{Dir: filepath.Join(root, "m", "cmd"), Env: append(modCache(t, root), "GOFLAGS=-modcacherw")}
			writeFiles(t, root, map[string]string{
				"go.work":          "go 1.25\n\nuse ./m\n\nuse ./second\n" + replace,
				"m/go.mod":         "module example.com/m\n\ngo 1.25\n\nrequire example.com/dep v1.0.0\n\nreplace example.com/dep v1.0.0 => example.com/dep v1.0.0\n",
				"m/cmd/main.go":    "package main\n\nimport (\n\t\"example.com/dep\"\n\t\"example.com/second\"\n)\n\nfunc main() {\n\tprintln(second.Two + dep.Count(3))\n}\n",
				"second/go.mod":    "module example.com/second\n\ngo 1.25\n",
				"second/second.go": "package second\n\nconst Two = 2\n",
				"other/go.mod":     "module example.com/other\n",
			})
			dep := filepath.Join(root, "cache", "example.com", "dep@v1.0.0", "dep.go")
			fill(t, tg)
			main := filepath.Join(tg.Dir, "main.go")
			dir := filepath.Join(root, "build")
			b, err := Prepare(t.Context(), tg, dir, []Place{{ID: 1, Kind: At, File: dep, Line: 10}, {ID: 2, Kind: At, File: main, Line: 9}})
			if err != nil {
				t.Fatal(err)
			}
			if len(b.Skipped) != 0 {
				t.Errorf("skipped %v", b.Skipped)
			}
			tg.Env = append(tg.Env, b.Env...)
			bin := filepath.Join(root, "bin")
			goRun(t, tg, b.Go, slices.Concat([]string{"build", "-trimpath=false", "-o", bin}, b.Flags, []string{"."})...)
			out, err := exec.Command(bin).CombinedOutput()
			if err != nil || string(out) != "5\n" {
				t.Errorf("%v: %s", err, out)
			}
			data, err := os.ReadFile(bin)
			if err != nil || !strings.Contains(string(data), filepath.Join(dir, "mod", "example.com", "dep", "dep.go")) {
				t.Errorf("the program does not hold the dependency with its point (%v)", err)
			}
		})
	}
}

// fill puts what a target needs into the module cache.
func fill(t *testing.T, tg instrument.Target) { goRun(t, tg, "go", "build", "-o", os.DevNull, ".") }
