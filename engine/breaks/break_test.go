package breaks

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/testmodule"
	"golang.org/x/tools/txtar"
)

// breakModules are a module "m", and others around it that it is built with, or
// not.
const breakModules = `
-- m/go.mod --
module example.com/m

go 1.26

require (
	example.com/Dep v1.0.0
	example.com/fork v1.0.0
	example.com/inner v1.0.0
)

replace example.com/fork => ../fork

replace example.com/inner => ./inner
-- m/m.go --
package m

import (
	"example.com/Dep/sub"
	"example.com/fork"
	"example.com/inner"
)

func F(n int) int {
	n += sub.Count(n) + fork.Count(n) + inner.Count(n)
	return n
}
-- m/with space.go --
package m

func G(n int) {
	println(n)
}
-- m/inner/go.mod --
module example.com/inner

go 1.26
-- m/inner/inner.go --
package inner

func Count(n int) int {
	n++
	return n
}
-- m/inner/alone/go.mod --
module example.com/alone

go 1.26
-- m/inner/alone/alone.go --
package alone

func Count(n int) int {
	n++
	return n
}
-- fork/go.mod --
module example.com/fork

go 1.26
-- fork/fork.go --
package fork

func Count(n int) int {
	n++
	return n
}
-- stray/go.mod --
module example.com/stray

go 1.26
-- stray/stray.go --
package stray

func Count(n int) int {
	n++
	return n
}
`

const breakDependency = `
-- go.mod --
module example.com/Dep

go 1.25
-- sub/sub.go --
package sub

func Count(n int) int {
	n++
	return n
}
`

// extract writes an archive below a folder.
func extract(t *testing.T, dir, archive string) {
	t.Helper()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		testmodule.Write(t, filepath.Join(dir, f.Name), string(f.Data))
	}
}

// proxied serves versions of the dependency from a folder, so that the go
// command fills a module cache of the test's own without network.
func proxied(t *testing.T, base string) {
	t.Helper()
	at := filepath.Join(base, "proxy", "example.com", "!dep", "@v")
	testmodule.Write(t, filepath.Join(at, "list"), "v1.0.0\nv1.1.0\n")
	for _, v := range []string{"v1.0.0", "v1.1.0"} {
		testmodule.Write(t, filepath.Join(at, v+".info"), `{"Version":"`+v+`"}`)
		f, err := os.Create(filepath.Join(at, v+".zip"))
		if err != nil {
			t.Fatal(err)
		}
		z := zip.NewWriter(f)
		for _, file := range txtar.Parse([]byte(breakDependency)).Files {
			if file.Name == "go.mod" {
				testmodule.Write(t, filepath.Join(at, v+".mod"), string(file.Data))
			}
			w, err := z.Create("example.com/Dep@" + v + "/" + file.Name)
			if err == nil {
				_, err = w.Write(file.Data)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(z.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOPROXY", "file://"+filepath.ToSlash(filepath.Join(base, "proxy")))
	t.Setenv("GOMODCACHE", filepath.Join(base, "cache"))
	t.Setenv("GONOSUMDB", "*")
	t.Setenv("GOWORK", "")
	t.Setenv("GOFLAGS", "-modcacherw -buildvcs=false")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
}

// breakBase has the modules, and the dependency in the module cache.
func breakBase(t *testing.T) (base, m string) {
	t.Helper()
	base = testmodule.Dir(t)
	extract(t, base, breakModules)
	proxied(t, base)
	m = filepath.Join(base, "m")
	goIn(t, m, "get", "example.com/Dep@v1.1.0")
	goIn(t, m, "get", "example.com/Dep@v1.0.0")
	goIn(t, m, "mod", "tidy")
	return base, m
}

func goIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

type placeCase struct {
	what, place string
	file        string // its name in the breakpoints file
	line        int
	err         string // in the error, if it is refused
}

// checkPlaces sets a breakpoint twice at each place, and lists it.
func checkPlaces(t *testing.T, dir string, flags target.Flags, cases []placeCase) {
	t.Helper()
	for _, c := range cases {
		b, err := Add(context.Background(), AddOptions{Dir: dir, Places: []string{c.place, c.place}, Flags: flags})
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v; want %q", c.what, err, c.err)
			}
			continue
		case err != nil:
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		list, err := List(context.Background(), dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		found := list.Breaks[len(list.Breaks)-1]
		for _, s := range append(b.Sides, found.Sides...) {
			if s.Place.File != c.file || s.Lost != "" || s.Location.Line != c.line || s.Location.Moved || s.Location.Changed {
				t.Errorf("%s: %s:%d, %+v, lost %q; want %s:%d", c.what, s.Place.File, s.Place.Line, s.Location, s.Lost, c.file, c.line)
			}
			if _, err := os.Stat(s.Path); err != nil {
				t.Errorf("%s: %v", c.what, err)
			}
		}
		data, err := os.ReadFile(filepath.Join(list.Root, ".hocket", "breakpoints.json"))
		if err != nil || strings.Contains(string(data), filepath.Dir(list.Root)) {
			t.Errorf("%s: a path of this machine in the file: %v\n%s", c.what, err, data)
		}
	}
}

func TestBreakPlaces(t *testing.T) {
	base, m := breakBase(t)
	cached := filepath.Join(base, "cache", "example.com", "!dep@v1.0.0", "sub", "sub.go")
	checkPlaces(t, m, target.Flags{}, []placeCase{
		{"own", "m.go:10", "m.go", 10, ""},
		{"a name with a space", "with space.go:4", "with space.go", 4, ""},
		{"dependency by its version", "example.com/Dep@v1.0.0/sub/sub.go:4", "example.com/Dep@v1.0.0/sub/sub.go", 4, ""},
		{"dependency by its path", cached + ":4", "example.com/Dep@v1.0.0/sub/sub.go", 4, ""},
		{"another version", "example.com/Dep@v1.1.0/sub/sub.go:4", "", 0, "is not in the build of the module " + m + "; set the breakpoint in example.com/Dep@v1.0.0/sub/sub.go"},
		{"no such version", "example.com/Dep@v1.2.0/sub/sub.go:4", "", 0, "there is no file"},
		{"replaced by a folder", "../fork/fork.go:4", "../fork/fork.go", 4, ""},
		{"replaced by a folder inside", "inner/inner.go:4", "inner/inner.go", 4, ""},
		{"module in a module, not built with", "inner/alone/alone.go:4", "", 0, "run hocket in the file's own module"},
		{"module beside, not built with", "../stray/stray.go:4", "", 0, "run hocket in the file's own module"},
	})
	checkPlaces(t, filepath.Join(m, "inner", "alone"), target.Flags{}, []placeCase{
		{"innermost module", "alone.go:4", "alone.go", 4, ""},
		{"the module around", "../inner.go:4", "", 0, "run hocket in the file's own module"},
	})
}

func TestBreakPlacesInVendor(t *testing.T) {
	_, m := breakBase(t)
	goIn(t, m, "mod", "vendor")
	checkPlaces(t, m, target.Flags{}, []placeCase{
		{"vendored", "vendor/example.com/Dep/sub/sub.go:4", "vendor/example.com/Dep/sub/sub.go", 4, ""},
		{"vendored, in the cache", "example.com/Dep@v1.0.0/sub/sub.go:4", "", 0, "set the breakpoint in vendor/example.com/Dep/sub/sub.go"},
		{"vendored, in its own folder", "../fork/fork.go:4", "", 0, "set the breakpoint in vendor/example.com/fork/fork.go"},
	})
	checkPlaces(t, m, target.Flags{Mod: "mod"}, []placeCase{
		{"without the vendor folder", "example.com/Dep@v1.0.0/sub/sub.go:4", "example.com/Dep@v1.0.0/sub/sub.go", 4, ""},
		{"the vendor folder, not built with", "vendor/example.com/Dep/sub/sub.go:4", "", 0, "set the breakpoint in example.com/Dep@v1.0.0/sub/sub.go"},
	})
}

func TestBreakPlacesInWorkspaces(t *testing.T) {
	base, m := breakBase(t)
	testmodule.Write(t, filepath.Join(base, "go.work"), "go 1.26\n\nuse (\n\t./m\n\t./stray\n)\n")
	checkPlaces(t, m, target.Flags{}, []placeCase{
		{"own", "m.go:10", "m.go", 10, ""},
		{"another module of the workspace", "../stray/stray.go:4", "../stray/stray.go", 4, ""},
		{"dependency", "example.com/Dep@v1.0.0/sub/sub.go:4", "example.com/Dep@v1.0.0/sub/sub.go", 4, ""},
		{"not of the workspace", "inner/alone/alone.go:4", "", 0, "run hocket in the file's own module"},
	})
}

func TestBreakPlacesInVendorOfWorkspace(t *testing.T) {
	base, m := breakBase(t)
	testmodule.Write(t, filepath.Join(base, "go.work"), "go 1.26\n\nuse (\n\t./m\n\t./stray\n)\n")
	goIn(t, base, "work", "vendor")
	checkPlaces(t, m, target.Flags{}, []placeCase{
		{"vendored", "../vendor/example.com/Dep/sub/sub.go:4", "../vendor/example.com/Dep/sub/sub.go", 4, ""},
		{"vendored, in the cache", "example.com/Dep@v1.0.0/sub/sub.go:4", "", 0, "set the breakpoint in ../vendor/example.com/Dep/sub/sub.go"},
	})
}

// TestBreakPlacesThroughLinks: a link to the module's folder, or in it, changes
// no name.
func TestBreakPlacesThroughLinks(t *testing.T) {
	base, m := breakBase(t)
	link := filepath.Join(base, "link")
	if err := errors.Join(os.Symlink(m, link), os.Symlink(filepath.Join(m, "m.go"), filepath.Join(base, "other.go"))); err != nil {
		t.Fatal(err)
	}
	checkPlaces(t, link, target.Flags{}, []placeCase{
		{"in the link", "m.go:10", "m.go", 10, ""},
		{"the real path", filepath.Join(m, "m.go") + ":10", "m.go", 10, ""},
	})
	checkPlaces(t, m, target.Flags{}, []placeCase{
		{"through a link to the folder", filepath.Join(link, "m.go") + ":10", "m.go", 10, ""},
		{"through a link to the file", "../other.go:10", "m.go", 10, ""},
	})
	// Texts that are not saved count whatever the name they are given under.
	text := "// One.\n// Two.\n" + string(must(os.ReadFile(filepath.Join(m, "m.go"))))
	list, err := List(context.Background(), m, map[string]string{filepath.Join(link, "m.go"): text})
	if err != nil || list.Breaks[0].Sides[0].Location.Line != 12 {
		t.Errorf("unsaved, through a link: %+v, %v", list.Breaks[0].Sides, err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestBreakWithoutGo: places in the module need no go command.
func TestBreakWithoutGo(t *testing.T) {
	base := testmodule.Dir(t)
	extract(t, base, breakModules)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("PATH", t.TempDir())
	m := filepath.Join(base, "m")
	checkPlaces(t, m, target.Flags{}, []placeCase{
		{"own", "m.go:10", "m.go", 10, ""},
		{"beside", "../fork/fork.go:4", "", 0, "no go command in PATH"},
	})
}

// TestBreakTexts: forms of source text that change no position.
func TestBreakTexts(t *testing.T) {
	const plain = "package m\n\nfunc F(n int) int {\n\tn++\n\tif n > 2 {\n\t\tn = n +\n\t\t\t3\n\t}\n\treturn n\n}\n"
	for what, text := range map[string]string{
		"plain":                   plain,
		"CRLF":                    strings.ReplaceAll(plain, "\n", "\r\n"),
		"BOM":                     "\ufeff" + plain,
		"BOM and CRLF":            "\ufeff" + strings.ReplaceAll(plain, "\n", "\r\n"),
		"generated, //line":       strings.Replace(plain, "\n\n", "\n//line x.y:100\n", 1),
		"generated, /*line*/":     strings.Replace(plain, "\tn++", "\t/*line x.y:7:9*/n++", 1),
		"no new line at the end":  strings.TrimSuffix(plain, "\n"),
		"a null width space":      strings.Replace(plain, "n++", "n++ // a\u200bb", 1),
		"generated, and says so":  "// Code generated by x; DO NOT EDIT.\n" + strings.Replace(plain, "\n\n", "\n", 1),
		"old Mac remarks in text": strings.Replace(plain, "n++", "n++ /* a\rb */", 1),
	} {
		base := testmodule.Dir(t)
		m := filepath.Join(base, "m")
		t.Setenv("XDG_CACHE_HOME", t.TempDir())
		testmodule.Write(t, filepath.Join(m, "go.mod"), "module m\n\ngo 1.26\n")
		testmodule.Write(t, filepath.Join(m, "m.go"), text)
		for line, want := range map[int]string{4: "n++", 5: "if n > 2", 6: "n = n + 3", 7: "n = n + 3", 9: "return n"} {
			b, err := Add(context.Background(), AddOptions{Dir: m, Places: []string{"m.go:" + strconv.Itoa(line), "m.go:9"}})
			if err != nil {
				t.Errorf("%s, line %d: %v", what, line, err)
				continue
			}
			at := b.Sides[0].Location
			if b.Places[0].Text != want || at.Text != want || at.Line != line && line != 7 || at.Changed || at.Moved {
				t.Errorf("%s, line %d: %q, %+v; want %q", what, line, b.Places[0].Text, at, want)
			}
			lines := strings.SplitAfter(text, "\n")
			if got := lines[at.Line-1][at.Column-1:]; !strings.HasPrefix(got, want[:3]) {
				t.Errorf("%s, line %d: column %d is at %q", what, line, at.Column, got)
			}
			if end := lines[at.EndLine-1][:at.EndColumn-1]; !strings.HasSuffix(end, want[len(want)-1:]) {
				t.Errorf("%s, line %d: the end %d:%d is behind %q", what, line, at.EndLine, at.EndColumn, end)
			}
		}
		// An editor that writes other ends of lines changes nothing.
		other := strings.ReplaceAll(strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n"), "\n", "\r\n")
		list, err := List(context.Background(), m, map[string]string{filepath.Join(m, "m.go"): other})
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range list.Breaks {
			for i, s := range b.Sides {
				if s.Lost != "" || s.Location.Moved || s.Location.Changed {
					t.Errorf("%s with CRLF: side %d of %s: lost %q, %+v", what, i+1, b.ID, s.Lost, s.Location)
				}
			}
		}
	}
}

// TestBreakIDs: an id is not given again, and a removed breakpoint leaves no
// result behind.
func TestBreakIDs(t *testing.T) {
	base := testmodule.Dir(t)
	extract(t, base, breakModules)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	m := filepath.Join(base, "m")
	add := func() string {
		t.Helper()
		b, err := Add(context.Background(), AddOptions{Dir: m, Places: []string{"m.go:10", "m.go:11"}})
		if err != nil {
			t.Fatal(err)
		}
		return b.ID
	}
	one, two := add(), add()
	when := time.Now().Truncate(time.Second)
	if err := keepLastBreaks(m, map[string]*Last{one: {when, 3, 2, 1}, two: {when, 9, 9, 9}}); err != nil {
		t.Fatal(err)
	}
	if err := Remove(context.Background(), m, two); err != nil {
		t.Fatal(err)
	}
	three := add()
	if one != "b1" || two != "b2" || three != "b3" {
		t.Errorf("ids are %s, %s, %s", one, two, three)
	}
	list, err := List(context.Background(), m, nil)
	if err != nil || len(list.Breaks) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	if l := list.Breaks[0].Last; l == nil || l.Runs != 3 || l.Hits != 2 || l.Failed != 1 || !l.When.Equal(when) {
		t.Errorf("the last result is %+v", l)
	}
	if l := list.Breaks[1].Last; l != nil {
		t.Errorf("%s has the result %+v", three, l)
	}
}

// TestBreakJSON: what is written can be read again.
func TestBreakJSON(t *testing.T) {
	base := testmodule.Dir(t)
	extract(t, base, breakModules)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	m := filepath.Join(base, "m")
	if _, err := Add(context.Background(), AddOptions{Dir: m, Places: []string{"m.go:10", "with space.go:4"}, Kind: "race",
		Order: []int{2, 1}, Timeout: "5ms", IgnoreFirst: 2, AtMost: 3, Note: "a < b"}); err != nil {
		t.Fatal(err)
	}
	if err := keepLastBreaks(m, map[string]*Last{"b1": {time.Now().UTC(), 3, 2, 1}}); err != nil {
		t.Fatal(err)
	}
	text := map[string]string{filepath.Join(m, "with space.go"): "package m\n"}
	for _, texts := range []map[string]string{nil, text} { // the second side found, and lost
		list := must(List(context.Background(), m, texts))
		data := must(json.Marshal(list))
		var again Breaks
		if err := json.Unmarshal(data, &again); err != nil {
			t.Fatal(err)
		}
		if got := must(json.Marshal(again)); string(got) != string(data) {
			t.Errorf("%s\nis read as\n%s", data, got)
		}
		if s := again.Breaks[0].Sides[1]; s.Location.Text != list.Breaks[0].Sides[1].Location.Text || s.Lost != list.Breaks[0].Sides[1].Lost || s.File() != "with space.go" {
			t.Errorf("side 2 is read as %+v", s)
		}
	}
	for _, bad := range []string{`7`, `[]`, `{"order": "x"}`, `{"sides": [{"line": "x"}]}`} {
		var b Break
		if err := json.Unmarshal([]byte(bad), &b); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
	var none Break
	if err := json.Unmarshal([]byte("null"), &none); err != nil || must(json.Marshal(none)) == nil {
		t.Errorf("null: %v", err)
	}
}
