package racetest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// files are the detector, in ../overlay/runtime.
var files = []string{"hocket_race.go", "hocket_shadow.go", "hocket_vc.go", "hocket_syncclock.go"}

const buildTag = "//go:build hocket_overlay\n"

func readOverlay(tb testing.TB, name string) string {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join("..", "overlay", "runtime", name))
	if err != nil {
		tb.Fatal(err)
	}
	body, ok := strings.CutPrefix(string(text), buildTag)
	if !ok {
		tb.Fatalf("%s does not begin with %q", name, buildTag)
	}
	return body
}

func writeFile(tb testing.TB, path, text string) {
	tb.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		tb.Fatal(err)
	}
}

// runtimeOnly are directives that the compiler takes in package runtime alone.
var runtimeOnly = regexp.MustCompile(`(?m)^//go:nowritebarrier(rec)?\n`)

// core makes the module of testdata/core with the detector in it.
func core(tb testing.TB) string {
	tb.Helper()
	dir := tb.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "core"))); err != nil {
		tb.Fatal(err)
	}
	for _, name := range files {
		text := strings.Replace(readOverlay(tb, name), "package runtime", "package racecore", 1)
		writeFile(tb, filepath.Join(dir, name), runtimeOnly.ReplaceAllString(text, ""))
	}
	writeFile(tb, filepath.Join(dir, "go.mod"), "module racecore\n\ngo 1.26\n")
	return dir
}

func goTool(tb testing.TB, dir string, args ...string) string {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		tb.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestDetector(t *testing.T) {
	dir := core(t)
	goTool(t, dir, "vet", ".")
	goTool(t, dir, "test", ".")
}

// The race build adds checks of unsafe pointers to those of the tests.
func TestDetectorUnderRace(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	if strings.TrimSpace(goTool(t, ".", "env", "CGO_ENABLED")) != "1" {
		t.Skip("-race needs cgo")
	}
	cc := strings.Fields(goTool(t, ".", "env", "CC"))[0]
	if _, err := exec.LookPath(cc); err != nil {
		t.Skip("-race needs a C compiler")
	}
	goTool(t, core(t), "test", "-race", "-short", ".")
}

// In package runtime the compiler proves that no write barrier is emitted.
func TestCompilesInRuntime(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles package runtime")
	}
	goroot := strings.TrimSpace(goTool(t, ".", "env", "GOROOT"))
	if strings.HasPrefix(goroot, strings.TrimSpace(goTool(t, ".", "env", "GOMODCACHE"))) {
		t.Skip("overlays of a downloaded toolchain are refused")
	}
	dir := t.TempDir()
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	add := func(name, text string) {
		path := filepath.Join(dir, name)
		writeFile(t, path, text)
		overlay.Replace[filepath.Join(goroot, "src", "runtime", name)] = path
	}
	for _, name := range files {
		add(name, readOverlay(t, name))
	}
	stub, err := os.ReadFile(filepath.Join("testdata", "stub", "hocket_stub.go"))
	if err != nil {
		t.Fatal(err)
	}
	add("hocket_stub.go", string(stub))
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "overlay.json")
	writeFile(t, config, string(text))
	goTool(t, dir, "build", "-overlay", config, "runtime")
}

// BenchmarkDetector reports the nanoseconds of each of the detector's own
// benchmarks, by name.
func BenchmarkDetector(b *testing.B) {
	out := goTool(b, core(b), "test", "-run", "^$", "-bench", ".", "-benchtime", "100ms", "-cpu", strconv.Itoa(runtime.GOMAXPROCS(0)), ".")
	line := regexp.MustCompile(`(?m)^Benchmark(\w+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns/op`)
	found := line.FindAllStringSubmatch(out, -1)
	if len(found) == 0 {
		b.Fatalf("no results in\n%s", out)
	}
	for _, m := range found {
		ns, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(ns, m[1]+"-ns")
	}
}
