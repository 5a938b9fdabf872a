package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/internal/words"
)

// annotate prints findings as workflow commands of GitHub Actions, which shows them beside
// the changed lines. path says where a file is that a finding names.
func annotate(w io.Writer, found []*report.Finding, path func(name string) (string, bool)) error {
	for _, f := range found {
		if f.SameAs != "" {
			continue
		}
		level := "error"
		if f.TimeDependent != nil {
			level = "notice"
		}
		at := ""
		if file, ok := path(f.Failure.File); ok && f.Failure.Line > 0 {
			at = fmt.Sprintf("file=%s,line=%d,", property(inWorkspace(file)), f.Failure.Line)
		}
		text := f.Headline()
		if f.Sentence != "" {
			text += "\n" + f.Sentence
		}
		if _, err := fmt.Fprintf(w, "::%s %stitle=%s::%s\n", level, at, property("hocket: "+f.Entry), message(text)); err != nil {
			return err
		}
	}
	return nil
}

// inWorkspace is a path as annotations have it, relative to the checkout.
func inWorkspace(path string) string {
	root := os.Getenv("GITHUB_WORKSPACE")
	if rel, err := filepath.Rel(root, path); root != "" && err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(path)
}

var (
	escapeMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func message(s string) string  { return escapeMessage.Replace(s) }
func property(s string) string { return escapeProperty.Replace(words.OneLine(s)) }
