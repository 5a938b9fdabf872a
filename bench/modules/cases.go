package main

import (
	"embed"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

//go:embed cases
var files embed.FS

// pkg is a published module at one version.
type pkg struct{ path, version string }

func (p pkg) String() string { return p.path + "@" + p.version }

// bench is one driver with the versions to run it on.
type bench struct {
	name   string
	kind   string // the failure expected, in words
	why    string
	buggy  pkg
	fixed  pkg // empty where no version without the bug is published
	shared []txtar.File
	per    map[string][]txtar.File // by "buggy" or "fixed": where the API differs
}

func load() ([]*bench, error) {
	entries, err := files.ReadDir("cases")
	if err != nil {
		return nil, err
	}
	var all []*bench
	for _, e := range entries {
		data, err := files.ReadFile(path.Join("cases", e.Name()))
		if err != nil {
			return nil, err
		}
		b, err := parse(strings.TrimSuffix(e.Name(), ".txtar"), data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		all = append(all, b)
	}
	return all, nil
}

func parse(name string, data []byte) (*bench, error) {
	ar := txtar.Parse(data)
	b := &bench{name: name, per: map[string][]txtar.File{}}
	for line := range strings.Lines(string(ar.Comment)) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			continue
		}
		switch key {
		case "kind":
			b.kind = value
		case "why":
			b.why = value
		case "buggy":
			b.buggy.path, b.buggy.version, _ = strings.Cut(value, " ")
		case "fixed":
			b.fixed.path, b.fixed.version, _ = strings.Cut(value, " ")
		default:
			return nil, fmt.Errorf("unknown key %q", key)
		}
	}
	if b.buggy.version == "" {
		return nil, fmt.Errorf("no buggy version")
	}
	for _, f := range ar.Files {
		dir, rest, ok := strings.Cut(f.Name, "/")
		if ok && (dir == "buggy" || dir == "fixed") {
			b.per[dir] = append(b.per[dir], txtar.File{Name: rest, Data: f.Data})
			continue
		}
		b.shared = append(b.shared, f)
	}
	return b, nil
}

// write lays the driver's module out in dir.
func (b *bench) write(dir, side string, p pkg) error {
	mod := fmt.Sprintf("module example.com/driver\n\ngo 1.26\n\nrequire %s %s\n", p.path, p.version)
	all := append([]txtar.File{{Name: "go.mod", Data: []byte(mod)}}, b.shared...)
	for _, f := range append(all, b.per[side]...) {
		file := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
