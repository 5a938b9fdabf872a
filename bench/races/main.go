// Command races compares Hocket's race detector with that of the Go
// distribution (-race, which needs cgo) on the same programs:
//
//	go run ./bench/races [-n 20] [-only name,name] [-cases FOLDER]
//
// The programs of testdata come in pairs, a racy one and one without races, and
// say which lines race; for the cases the command shows what each detector
// reports. Hocket runs a program under -n random schedules, -race runs it -n
// times. Neither can be complete: a race is seen only if the run comes to it.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/bench/table"
)

func main() {
	n := flag.Int("n", 20, "runs of each program by each detector")
	only := flag.String("only", "", "names of the programs to run, separated by commas")
	folder := flag.String("cases", "", "a folder of cases to run too")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, *folder, *only, *n); err != nil {
		fmt.Fprintln(os.Stderr, "races: "+err.Error())
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, folder, only string, n int) error {
	dir, err := os.MkdirTemp("", "hocket-races-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil { // as the reports name it
		return err
	}
	all, err := small(dir)
	if err == nil && folder != "" {
		var more []program
		more, err = larger(folder, dir)
		all = append(all, more...)
	}
	if err != nil {
		return err
	}
	t := table.New(w, "program          ", "truth  ", "Hocket             ", "-race              ", "reports")
	sums := [2]tally{}
	for _, p := range all {
		if only != "" && !slices.Contains(strings.Split(only, ","), p.name) {
			continue
		}
		ours, err := hocket(ctx, p, n)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		theirs, err := goRace(ctx, p, n)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		t.Row(p.name, p.says(), p.verdict(ours, n, &sums[0]), p.verdict(theirs, n, &sums[1]), differences(ours, theirs))
	}
	fmt.Fprintf(w, "\nHocket: %s\n-race:  %s\n", sums[0], sums[1])
	return nil
}

// tally counts verdicts on programs whose truth is known.
type tally struct{ racy, found, wrong int }

func (t tally) String() string {
	return fmt.Sprintf("%d of %d racy programs found, %d wrong reports", t.found, t.racy, t.wrong)
}

func (p program) says() string {
	switch {
	case !p.known:
		return "-"
	case len(p.truth) > 0:
		return "racy"
	}
	return "no race"
}

func (p program) verdict(s seen, n int, t *tally) string {
	if !p.known {
		return fmt.Sprintf("%d places, %d/%d runs", len(s.pairs), s.runs, n)
	}
	found, wrong := p.judge(s.pairs)
	t.wrong += len(wrong)
	if len(p.truth) > 0 {
		t.racy++
	}
	word := "silent"
	if found {
		t.found++
		word = fmt.Sprintf("found, %d/%d runs", s.runs, n)
	}
	if len(wrong) > 0 {
		word += ", WRONG " + strings.Join(wrong, " ")
	}
	return word
}

// differences lists the reports that only one of the two made.
func differences(ours, theirs seen) string {
	var out []string
	for _, side := range []struct {
		name      string
		has, lack seen
	}{{"only Hocket", ours, theirs}, {"only -race", theirs, ours}} {
		var pairs []string
		for r := range side.has.pairs {
			if !side.lack.pairs[r] {
				pairs = append(pairs, r[0]+"/"+r[1])
			}
		}
		slices.Sort(pairs)
		if len(pairs) > 0 {
			out = append(out, side.name+": "+strings.Join(pairs, " "))
		}
	}
	if len(out) == 0 {
		return "the same"
	}
	return strings.Join(out, "; ")
}
