package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine"
)

// Colours and hyperlinks only where somebody sees them.
func TestStyle(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for name, text := range map[string]string{"go.mod": "module m\n", "pool.go": "package m\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	files := sourcesHere(nil)
	const text = "boom (pool.go:31), and gone.go:4"
	for _, c := range []struct {
		env           map[string]string
		colours, link bool
	}{
		{map[string]string{"TERM": "xterm-256color"}, true, false},
		{map[string]string{"TERM": "xterm-256color", "NO_COLOR": "1"}, false, false},
		{map[string]string{"TERM": "dumb", "TERM_PROGRAM": "WezTerm"}, false, false},
		{map[string]string{"TERM": "xterm-256color", "VTE_VERSION": "6003"}, true, true},
		{map[string]string{"TERM": "xterm-256color", "VTE_VERSION": "4002"}, true, false},
		{map[string]string{"TERM": "xterm-kitty", "NO_COLOR": "1"}, false, true},
		{map[string]string{"TERM": "xterm-kitty", "FORCE_HYPERLINK": "0"}, true, false},
		{map[string]string{"TERM": "linux"}, true, false},
	} {
		s := terminalStyle(func(name string) string { return c.env[name] }, files)
		if got := s.paint(red, "x") != "x"; got != c.colours {
			t.Errorf("%v: colours %v", c.env, got)
		}
		got := s.link(text)
		if linked := strings.Contains(got, "\x1b]8;;file://"); linked != c.link || !linked && got != text {
			t.Errorf("%v: %q", c.env, got)
		}
		if c.link && (!strings.Contains(got, filepath.ToSlash(dir)+"/pool.go") || !strings.Contains(got, "\x1b\\pool.go:31\x1b]8;;\x1b\\), and gone.go:4")) {
			t.Errorf("%v: %q", c.env, got)
		}
	}
	// What is no terminal gets plain text.
	var b strings.Builder
	if s := styleOf(&b, files); s.colours || s.links != nil {
		t.Error("a buffer has a style")
	}
}

// The text beside the bar says first what matters most, and leaves the terminal's
// width to neither the bar nor a wide character.
func TestBesideTheBar(t *testing.T) {
	u := engine.Update{Phase: engine.Searching, Target: "github.com/someone/module/pool TestX/ü/日本語日本語日本語日本語", Targets: 12, Reached: 3, Done: 1, Schedules: 40, Findings: 1, Left: 41e9}
	p := &progress{last: u}
	if got, want := brief(u), "41s left, 1 finding, 3 of 12 targets reached, pool TestX/ü/日本語日本語日本語日本語: searching, 40 schedules"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	for width := range 200 {
		text := p.beside(width)
		if n := displayed(text) + min(barWidth, width/3) + 2; width >= 10 && n >= width {
			t.Errorf("%d columns of %d: %q", n, width, text)
		}
	}
	if got := p.beside(300); got != brief(u) {
		t.Errorf("cut though there is room: %q", got)
	}
}

// displayed is how many columns a text takes; all that takes two is Japanese here.
func displayed(s string) (n int) {
	for _, r := range s {
		n++
		if r > 0x3000 {
			n++
		}
	}
	return n
}

// The bar shows what ends first, the plan or the budget.
func TestPartOfTheBar(t *testing.T) {
	for _, c := range []struct {
		u    engine.Update
		want int64
	}{
		{engine.Update{Schedules: 30, Planned: 100, Elapsed: 1e9, Left: 9e9}, 300},
		{engine.Update{Schedules: 30, Planned: 100, Elapsed: 6e9, Left: 4e9}, 600},
		{engine.Update{Schedules: 30, Planned: 100, Elapsed: 6e9, Left: -1}, 300},
		{engine.Update{Elapsed: 6e9}, 999},
		{engine.Update{Left: -1}, 0},
	} {
		if got := part(c.u); got != c.want {
			t.Errorf("%+v: %d, want %d", c.u, got, c.want)
		}
	}
	for pkg, want := range map[string]string{"a.b/c/v2": "c/v2", "a.b/c": "c", "v2": "v2", "m": "m"} {
		if got := lastOf(pkg); got != want {
			t.Errorf("%s: %s, want %s", pkg, got, want)
		}
	}
}
