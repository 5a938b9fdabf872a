package main

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/hocket-dev/hocket/bench/programs"
)

//go:embed testdata
var files embed.FS

// program is one program with what is known of its races.
type program struct {
	name, dir, entry string
	known            bool            // whether truth is
	truth            map[string]site // by "file:line" of the lines that race
}

// site is a line that races.
type site struct{ label string }

var marked = regexp.MustCompile(`// race (\S+)$`)

// small lays the programs of testdata out below dir: a racy one and one
// without races for each subject. In the racy one, lines that end in
// "// race x" race with one another or with themselves.
func small(dir string) ([]program, error) {
	entries, err := files.ReadDir("testdata")
	if err != nil {
		return nil, err
	}
	var all []program
	for _, e := range entries {
		data, err := files.ReadFile("testdata/" + e.Name())
		if err != nil {
			return nil, err
		}
		for _, f := range txtar.Parse(data).Files {
			side, base, _ := strings.Cut(f.Name, "/")
			p := program{name: strings.TrimSuffix(e.Name(), ".txtar") + "-" + side, entry: "main", known: true, truth: map[string]site{}}
			p.dir = filepath.Join(dir, p.name)
			if err := os.MkdirAll(p.dir, 0o755); err != nil {
				return nil, err
			}
			if err := os.WriteFile(filepath.Join(p.dir, "go.mod"), []byte("module example.com/race\n\ngo 1.26\n"), 0o644); err != nil {
				return nil, err
			}
			if err := os.WriteFile(filepath.Join(p.dir, base), f.Data, 0o644); err != nil {
				return nil, err
			}
			for i, line := range strings.Split(string(f.Data), "\n") {
				if m := marked.FindStringSubmatch(line); m != nil {
					p.truth[fmt.Sprintf("%s:%d", base, i+1)] = site{m[1]}
				}
			}
			all = append(all, p)
		}
	}
	return all, nil
}

// larger are the cases and their twins, of whose races nothing is known.
func larger(folder, dir string) ([]program, error) {
	cases, err := programs.Cases(folder, "", dir)
	if err != nil {
		return nil, err
	}
	var all []program
	for _, c := range cases {
		all = append(all,
			program{name: c.Name, dir: c.Dir, entry: c.Truth.Entry},
			program{name: c.Name + "-fixed", dir: c.Fixed, entry: c.Truth.Entry})
	}
	return all, nil
}

// pair is a race by its two lines, the smaller first.
type pair [2]string

func pairOf(a, b string) pair {
	if b < a {
		a, b = b, a
	}
	return pair{a, b}
}

// right reports whether the program really has the race.
func (p program) right(r pair) bool {
	a, ok := p.truth[r[0]]
	b, ok2 := p.truth[r[1]]
	if r[0] == nowhere { // sorts first
		return ok2
	}
	return ok && ok2 && a == b
}

// judge sorts what a detector reported: whether it found a race that there is,
// and which of its reports are wrong.
func (p program) judge(reported map[pair]bool) (found bool, wrong []string) {
	for r := range reported {
		if p.right(r) {
			found = true
		} else {
			wrong = append(wrong, r[0]+"/"+r[1])
		}
	}
	slices.Sort(wrong)
	return found, wrong
}
