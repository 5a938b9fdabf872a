package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fake is a build that reports what the script says.
func fake(t *testing.T, name, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestBothBuildsAreAsked(t *testing.T) {
	cases := t.TempDir()
	for _, name := range []string{"one", "two"} {
		dir := filepath.Join(cases, name)
		if err := os.MkdirAll(filepath.Join(dir, "fixed"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "truth.json"), []byte("{}"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const nothing = `test -d fixed && exit 9; mkdir .hocket || exit 8; echo '{"targets":[{"status":"searched","searched":{"attempts":7}}]}'`
	const finding = `mkdir .hocket || exit 8; echo '{"targets":[{"status":"failing","searched":{"attempts":3}}],"findings":[{"id":"x"}]}'; exit 1`
	var out strings.Builder
	o := options{before: fake(t, "before", nothing), after: fake(t, "after", finding), cases: cases, rounds: 2}
	if err := run(context.Background(), &out, o); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	if !strings.Contains(out.String(), "4 searches: found 0 before and 4 after") || strings.Count(out.String(), "searched") != 4 {
		t.Errorf("%s", &out)
	}
}

func TestABuildThatBreaksIsNamed(t *testing.T) {
	cases := t.TempDir()
	if err := os.MkdirAll(filepath.Join(cases, "one", "fixed"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cases, "one", "truth.json"), []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	broken := fake(t, "broken", "exit 2")
	err := run(context.Background(), &strings.Builder{}, options{before: broken, after: broken, cases: cases, rounds: 1})
	if err == nil || !strings.Contains(err.Error(), "broken in one: no report") {
		t.Errorf("%v", err)
	}
}
