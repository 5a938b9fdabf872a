package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/hocket-dev/hocket/bench/harness"
	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report"
)

// seen is what a detector reported in some runs of a program.
type seen struct {
	pairs map[pair]bool
	runs  int // with a report
}

// hocket runs the program under n random schedules.
func hocket(ctx context.Context, p program, n int) (seen, error) {
	s := seen{pairs: map[pair]bool{}}
	c, err := harness.OpenProgram(ctx, engine.FindOptions{Dir: p.dir, Run: "^" + p.entry + "$"})
	if err != nil {
		return s, err
	}
	defer c.Close()
	at := func(p report.Place) string { return fmt.Sprintf("%s:%d", p.File, p.Line) }
	for i := range n {
		r, err := c.Run(ctx, uint64(i+1))
		if err != nil {
			return s, err
		}
		for _, x := range r.Races {
			s.pairs[pairOf(at(x.First), at(x.Second))] = true
		}
		if len(r.Races) > 0 {
			s.runs++
		}
	}
	return s, nil
}

// goRace runs the program n times as built with -race.
func goRace(ctx context.Context, p program, n int) (seen, error) {
	s := seen{pairs: map[pair]bool{}}
	bin := filepath.Join(p.dir, "with-race")
	args, run := []string{"build", "-race", "-o", bin, "."}, []string(nil)
	if p.entry != "main" {
		args, run = []string{"test", "-c", "-race", "-o", bin, "."}, []string{"-test.run=^" + p.entry + "$"}
	}
	build := exec.CommandContext(ctx, "go", args...)
	build.Dir = p.dir
	build.Env = append(os.Environ(), "CGO_ENABLED=1")
	if out, err := build.CombinedOutput(); err != nil {
		return s, fmt.Errorf("build with -race: %w: %s", err, out)
	}
	for range n {
		cmd := exec.CommandContext(ctx, bin, run...)
		cmd.Dir = p.dir
		cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
		out, err := cmd.CombinedOutput()
		var ee *exec.ExitError
		if err != nil && !errors.As(err, &ee) {
			return s, err // programs may fail
		}
		found := parseReports(string(out), p.dir)
		for _, r := range found {
			s.pairs[r] = true
		}
		if len(found) > 0 {
			s.runs++
		}
	}
	return s, nil
}

var (
	accessLine = regexp.MustCompile(`^(?i:(?:previous )?(?:atomic )?(?:read|write)) at 0x`)
	frameLine  = regexp.MustCompile(`^      (\S+\.go):(\d+) \+0x`)
)

// nowhere stands for an access whose stack -race has lost: it often does not
// know who called an atomic operation.
const nowhere = "?"

// parseReports reads what -race printed. Each access is where its innermost
// frame inside the program's folder is.
func parseReports(output, dir string) []pair {
	var found []pair
	for _, text := range strings.Split(output, "WARNING: DATA RACE\n")[1:] {
		text, _, _ = strings.Cut(text, "==================")
		var places []string
		wanted := false
		for _, line := range strings.Split(text, "\n") {
			switch m := frameLine.FindStringSubmatch(line); {
			case accessLine.MatchString(line):
				places, wanted = append(places, nowhere), true
			case line == "":
				wanted = false
			case m != nil && wanted:
				if rel, ok := strings.CutPrefix(m[1], dir+"/"); ok {
					places[len(places)-1], wanted = rel+":"+m[2], false
				}
			}
		}
		if len(places) == 2 {
			found = append(found, pairOf(places[0], places[1]))
		}
	}
	return found
}
