package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/bench/programs"
	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/rogpeppe/go-internal/txtar"
)

// wrong is a repair as people try them that does not take the bug away, or takes away
// what the program is for. Its file is an archive: two lines, "program:" with a folder
// below bench, or case/NAME for one of the folder -cases, and "what:"; then the new texts.
type wrong struct {
	name, program, what string
	texts               map[string][]byte // by name in the module
}

// wrongs reads those of a folder.
func wrongs(folder string) (all []wrong, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.txtar"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("%s has no wrong repairs", folder)
	}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			return nil, err
		}
		x := wrong{name: strings.TrimSuffix(filepath.Base(file), ".txtar"), texts: map[string][]byte{}}
		for line := range strings.Lines(string(ar.Comment)) {
			switch key, value, _ := strings.Cut(line, ":"); key {
			case "program":
				x.program = strings.TrimSpace(value)
			case "what":
				x.what = strings.TrimSpace(value)
			}
		}
		for _, f := range ar.Files {
			x.texts[f.Name] = f.Data
		}
		if x.program == "" || x.what == "" || len(x.texts) == 0 {
			return nil, fmt.Errorf("%s lacks the program, what is wrong, or a text", file)
		}
		all = append(all, x)
	}
	return all, nil
}

// folder is where the program is; "" if it is a case, and no folder of them was given.
func (x *wrong) folder(o options) string {
	if name, ok := strings.CutPrefix(x.program, "case/"); ok {
		if o.cases == "" {
			return ""
		}
		return filepath.Join(o.cases, name)
	}
	return filepath.Join("bench", filepath.FromSlash(x.program))
}

// tried is a program that was searched.
type tried struct {
	dir     string
	finding *report.Finding
}

// tryWrong hands wrong repairs to the verifier. The program of several is searched once.
func tryWrong(ctx context.Context, w io.Writer, o options, tmp string) error {
	all, err := wrongs(filepath.Join("bench", "fix", "wrong", o.set))
	if err != nil {
		return err
	}
	searched := map[string]tried{}
	rejected, handed, left := 0, 0, 0
	for _, x := range all {
		if o.only != "" && !slices.Contains(strings.Split(o.only, ","), x.name) {
			continue
		}
		folder := x.folder(o)
		if folder == "" {
			left++
			continue
		}
		p, ok := searched[folder]
		if !ok {
			if p, err = searchCopy(ctx, folder, filepath.Join(tmp, fmt.Sprint(len(searched))), o); err != nil {
				return err
			}
			searched[folder] = p
		}
		fix, err := check(ctx, p, x.texts, o)
		if err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
		handed++
		verdict := "rejected: " + fix.Reason
		if fix.Verified != "" {
			verdict = "ACCEPTED: " + fix.Verified
		} else {
			rejected++
		}
		fmt.Fprintf(w, "%-24s %-12s %s\n%40s%s\n", x.name, filepath.Base(x.program), x.what, "", verdict)
	}
	fmt.Fprintf(w, "\n%d of %d wrong repairs rejected", rejected, handed)
	if left > 0 {
		fmt.Fprintf(w, "; %d need a folder -cases", left)
	}
	fmt.Fprintln(w)
	return nil
}

// tryRight hands the programs' twins to the verifier, as fixes.
func tryRight(ctx context.Context, w io.Writer, o options, tmp string) error {
	all, err := programs.Copies(o.folder, o.only, tmp)
	if err != nil {
		return err
	}
	accepted, handed := 0, 0
	for _, c := range all {
		if c.Truth.Weak || c.Fixed == "" {
			continue
		}
		texts, err := differing(c.Dir, c.Fixed)
		if err != nil {
			return err
		}
		f, err := search(ctx, c.Dir, o.find)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		if f == nil {
			fmt.Fprintf(w, "%-16s not found\n", c.Name)
			continue
		}
		fix, err := check(ctx, tried{c.Dir, f}, texts, o)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		handed++
		verdict := "REJECTED: " + fix.Reason
		if fix.Verified != "" {
			accepted++
			verdict = fmt.Sprintf("accepted: %s, %d schedules", fix.Verified, fix.Schedules)
		}
		fmt.Fprintf(w, "%-16s %s\n", c.Name, verdict)
	}
	fmt.Fprintf(w, "\n%d of %d right repairs accepted\n", accepted, handed)
	return nil
}

func searchCopy(ctx context.Context, folder, tmp string, o options) (tried, error) {
	all, err := programs.Copies(filepath.Dir(folder), filepath.Base(folder), tmp)
	if err != nil {
		return tried{}, err
	}
	if len(all) == 0 {
		return tried{}, fmt.Errorf("%s has no program", folder)
	}
	f, err := search(ctx, all[0].Dir, o.find)
	if err == nil && f == nil {
		err = errors.New("nothing was found")
	}
	if err != nil {
		return tried{}, fmt.Errorf("%s: %w", folder, err)
	}
	return tried{all[0].Dir, f}, nil
}

// check hands new texts to the verifier, as a fix of what was found.
func check(ctx context.Context, p tried, texts map[string][]byte, o options) (*report.Fix, error) {
	files := map[string][]byte{}
	for name, text := range texts {
		files[filepath.Join(p.dir, filepath.FromSlash(name))] = text
	}
	return engine.CheckFix(ctx, engine.FixOptions{Dir: p.dir, ID: p.finding.ID, Budget: o.budget}, files, nil)
}

// differing are the Go files of dir that the twin has otherwise, with the twin's texts.
func differing(dir, twin string) (map[string][]byte, error) {
	texts := map[string][]byte{}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		before, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		name := filepath.Base(file)
		after, err := os.ReadFile(filepath.Join(twin, name))
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(before, after) {
			texts[name] = after
		}
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("%s and its twin are equal", dir)
	}
	return texts, nil
}
