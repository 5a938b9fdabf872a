package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/hocket-dev/hocket/engine"
)

// sources finds the files that the findings of a module name.
type sources struct {
	module  *engine.Module    // nil: there is none
	overlay map[string]string // files that stand for others while it is built
	lines   map[string][]string
}

// sourcesHere are those of the module of the current folder.
func sourcesHere(overlay map[string]string) *sources {
	s := &sources{overlay: overlay, lines: map[string][]string{}}
	root, ok := engine.FindModule(".")
	if !ok {
		root, ok = workspace()
	}
	if ok {
		s.module = engine.OpenModule(root)
	}
	return s
}

// workspace is the folder of the go.work file that holds outside modules, to which
// findings are relative there.
func workspace() (root string, ok bool) {
	if file := os.Getenv("GOWORK"); file != "" {
		return filepath.Dir(file), file != "off"
	}
	dir, err := filepath.Abs(".")
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir, true
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	return "", false
}

// path is where a file is, if it is there.
func (s *sources) path(name string) (string, bool) {
	if s == nil || s.module == nil {
		return "", false
	}
	return s.module.Abs(name)
}

// line is the text of a line, "" if it is not known.
func (s *sources) line(name string, line int) string {
	path, ok := s.path(name)
	if !ok {
		return ""
	}
	if other, replaced := s.overlay[path]; replaced {
		path = other
	}
	lines, read := s.lines[path]
	if !read {
		if text, err := os.ReadFile(path); err == nil {
			lines = strings.Split(string(text), "\n")
		}
		s.lines[path] = lines
	}
	if line < 1 || line > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[line-1])
}
