package image

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// facts are the addresses that the fixture prints about itself.
type facts map[string][]uint64

// buildFixture builds testdata/symbols over the real runtime half and a stand-in
// for the rest of the controlled runtime.
func buildFixture(t *testing.T) (binary string, f facts) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds std with an edited runtime")
	}
	goroot := strings.TrimSpace(output(t, exec.Command("go", "env", "GOROOT")))
	dir := t.TempDir()
	half, err := os.ReadFile("../rt/overlay/runtime/hocket_symbols.go")
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(half), "//go:build hocket_overlay")
	half = []byte(body)
	if err := os.WriteFile(filepath.Join(dir, "symbols.go"), half, 0o600); err != nil {
		t.Fatal(err)
	}
	shim, err := filepath.Abs("testdata/symbols/shim.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(goroot, "src/runtime/hocket_symbols.go"): filepath.Join(dir, "symbols.go"),
		filepath.Join(goroot, "src/runtime/hocket_shim.go"):    shim,
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	binary = filepath.Join(dir, "symbols")
	cmd := exec.Command("go", "build", "-trimpath=false", "-overlay", filepath.Join(dir, "overlay.json"), "-o", binary, ".")
	cmd.Dir = "testdata/symbols"
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	output(t, cmd)
	f = facts{}
	sc := bufio.NewScanner(strings.NewReader(output(t, exec.Command(binary))))
	for sc.Scan() {
		words := strings.Fields(sc.Text())
		for _, w := range words[1:] {
			n, err := strconv.ParseUint(w, 10, 64)
			if err != nil {
				t.Fatalf("fixture printed %q", sc.Text())
			}
			f[words[0]] = append(f[words[0]], n)
		}
	}
	return binary, f
}

func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", cmd, err, out, stderr.Bytes())
	}
	return string(out)
}

func TestProgram(t *testing.T) {
	binary, f := buildFixture(t)
	sym := NewProgram(binary)
	t.Run("meta", func(t *testing.T) {
		m, err := sym.Meta()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(m.GoVersion, "go1.") || !strings.HasSuffix(m.StdRoot, "/src") {
			t.Errorf("Meta = %+v", m)
		}
	})
	t.Run("frames", func(t *testing.T) {
		got, err := sym.Places(append(f["pcs"], 1<<60))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		starts := map[string]int{}
		for _, ps := range got[:len(got)-1] {
			for _, p := range ps {
				if len(names) == 0 || names[len(names)-1] != p.Func { // some unwinders give inlined callers twice
					names = append(names, p.Func)
				}
				starts[p.Func] = p.Start
				if p.Line == 0 || !filepath.IsAbs(p.File) {
					t.Errorf("no place: %+v", p)
				}
			}
		}
		for fn, text := range map[string]string{"main.inlined": "func inlined", "main.(*cell).run": "func (c *cell) run", "main.main": "func main"} {
			if want := lineOf(t, text); starts[fn] != want {
				t.Errorf("%s begins at line %d, want %d", fn, starts[fn], want)
			}
		}
		want := []string{"main.inlined", "main.(*cell).run", "main.main", "runtime.main", "runtime.goexit"}
		if strings.Join(names, " ") != strings.Join(want, " ") {
			t.Errorf("frames = %q, want %q", names, want)
		}
		if len(got[len(got)-1]) != 0 {
			t.Errorf("an address outside the text has frames %v", got[len(got)-1])
		}
	})
	t.Run("entries", func(t *testing.T) {
		wraps := []string{"main.main.gowrap1", "main.main.gowrap2", "main.worker"}
		want := []string{"main.worker", "main.(*cell).loop", "main.worker"}
		for i, w := range wraps {
			got, err := sym.Entries(f[w])
			if err != nil {
				t.Fatal(err)
			}
			if got[0].Func != want[i] {
				t.Errorf("%s starts %q, want %q", w, got[0].Func, want[i])
			}
		}
	})
	t.Run("reasons", func(t *testing.T) {
		got, err := sym.Reasons([]uint64{0, 14, 60000})
		if err != nil {
			t.Fatal(err)
		}
		if got[0] != "" || got[1] == "" || got[2] != "" {
			t.Errorf("reasons = %q", got)
		}
	})
	t.Run("types", func(t *testing.T) { testTypes(t, sym, f) })
	t.Run("globals", func(t *testing.T) { testGlobals(t, sym, f) })
	t.Run("escaped", func(t *testing.T) {
		got, err := sym.Escaped([]Frame{{Func: "main.escapes", Line: lineOf(t, "local := 7")}, {Func: "main.escapes", Line: 1}})
		if err != nil {
			t.Fatal(err)
		}
		if len(got[0]) != 1 || got[0][0] != (Local{"local", "int", 8}) || len(got[1]) != 0 {
			t.Errorf("locals = %+v", got)
		}
	})
}

func lineOf(t *testing.T, text string) int {
	t.Helper()
	src, err := os.ReadFile("testdata/symbols/main.go")
	if err != nil {
		t.Fatal(err)
	}
	before, _, ok := strings.Cut(string(src), text)
	if !ok {
		t.Fatalf("no %q in the fixture", text)
	}
	return strings.Count(before, "\n") + 1
}

// The offsets are those of testdata/symbols' cell on 64-bit machines.
var elements = []struct {
	off  uint64
	want uint16
	path string
	typ  string
	size int
	kind string
}{
	{0, 0, ".mu", "sync.Mutex", 8, "struct"},
	{0, 1000, "", "main.cell", 96, "struct"},
	{8, 0, ".n", "int32", 4, "int32"},
	{12, 0, ".done", "atomic.Bool", 4, "uint32"},
	{16, 0, ".list[0].key", "uint8", 1, "uint8"},
	{16, 16, ".list[0]", "main.pair", 16, "struct"},
	{40, 0, ".list[1].next", "*main.pair", 8, "ptr"},
	{80, 0, ".name", "string", 16, "string"},
}

func testTypes(t *testing.T, sym *Program, f facts) {
	var reqs []TypeReq
	for _, e := range elements {
		reqs = append(reqs, TypeReq{f["cell"][0], e.off, e.want})
	}
	reqs = append(reqs, TypeReq{f["int32"][0], 12, 0}, TypeReq{f["cache"][0], 0, 0}, TypeReq{12345, 0, 0}, TypeReq{})
	got, err := sym.Types(reqs)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range elements {
		want := TypeInfo{Root: "main.cell", RootSize: 96, Path: e.path, Type: e.typ, Size: e.size, Kind: e.kind}
		if got[i] != want {
			t.Errorf("offset %d: %+v, want %+v", e.off, got[i], want)
		}
	}
	rest := got[len(elements):]
	if want := (TypeInfo{"int32", 4, 3, "", "int32", 4, "int32"}); rest[0] != want {
		t.Errorf("element of a slice: %+v, want %+v", rest[0], want)
	}
	if rest[1].Root != "main.cache[string]" || rest[1].Path != ".size" {
		t.Errorf("generic: %+v", rest[1])
	}
	if rest[2] != (TypeInfo{}) || rest[3] != (TypeInfo{}) {
		t.Errorf("no type: %+v", rest[2:])
	}
}

func testGlobals(t *testing.T, sym *Program, f facts) {
	var reqs []GlobalReq
	for _, e := range elements {
		reqs = append(reqs, GlobalReq{f["global"][0] + e.off, e.want})
	}
	reqs = append(reqs, GlobalReq{Addr: f["count"][0]}, GlobalReq{Addr: f["flag"][0]}, GlobalReq{Addr: 1 << 50})
	got, err := sym.Globals(reqs)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range elements {
		want := GlobalInfo{"main.global", e.off, e.path, e.typ, e.size, e.kind}
		if e.typ == "atomic.Bool" {
			want.Type = "atomic.Bool"
		}
		if got[i] != want {
			t.Errorf("offset %d: %+v, want %+v", e.off, got[i], want)
		}
	}
	rest := got[len(elements):]
	if rest[0].Symbol != "main.count" || rest[0].Kind != "int64" || rest[1].Kind != "bool" || rest[2].Symbol != "" {
		t.Errorf("scalars: %+v", rest)
	}
}
