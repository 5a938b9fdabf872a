package instrument

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A controlled build compiles for platforms other than the one at hand.
func TestOtherPlatformsCompile(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the standard library for each platform")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module tiny\n\ngo 1.26\n",
		"main.go": `package main

import (
	"net"
	"os"
	"sync"
)

func main() {
	var mu sync.Mutex
	mu.Lock()
	os.Stat("x")
	net.Dial("tcp", ":1")
}
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	b := NewBuilder(t.TempDir())
	for _, platform := range []string{"linux/arm64", "darwin/arm64"} {
		goos, goarch, _ := strings.Cut(platform, "/")
		_, err := b.Control(t.Context(), Target{Dir: dir, ImportPath: "tiny", Entry: "main", Env: []string{"GOOS=" + goos, "GOARCH=" + goarch}})
		if err != nil {
			t.Errorf("%s: %v", platform, err)
		}
	}
}
