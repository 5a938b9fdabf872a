// Command btrigger measures concurrent breakpoints on the kinds of programs of
// Table 1 of Park and Sen, "Concurrent Breakpoints" (PPoPP 2012), written in Go:
//
//	go run ./bench/btrigger [-n 1000] [-only log4j,swing]
//
// Each program runs n times without and n times with its breakpoint,
// alternating. The table has, next to the paper's figures: how often the bug
// happened, how often the breakpoint was hit, the median time of a run, and the
// milliseconds that a hit adds. A run ends at the failure, so that a run with a
// breakpoint may be shorter than one without.
package main

import (
	"context"
	"embed"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/bench/table"
	"github.com/hocket-dev/hocket/engine"
)

//go:embed programs
var programs embed.FS

type options struct {
	n    int
	only string
}

func main() {
	var o options
	flag.IntVar(&o.n, "n", 1000, "runs with the breakpoint, and as many without")
	flag.StringVar(&o.only, "only", "", "names of the programs to run, separated by commas")
	flag.Parse()
	if flag.NArg() > 0 || o.n < 1 {
		fmt.Fprintln(os.Stderr, "usage: btrigger [-n RUNS] [-only NAME,NAME]")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "btrigger: "+err.Error())
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, o options) error {
	tmp, err := os.MkdirTemp("", "hocket-btrigger-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	t := table.New(w, "program     ", "bug          ", "plain fails", "with: fails", "prob. ", "paper", "ms plain", "ms with", "ms added", "added %", "paper %", "failure")
	for _, r := range rows {
		if o.only != "" && !contains(o.only, r.program) {
			continue
		}
		m, err := measure(ctx, tmp, r, o.n)
		if err != nil {
			return fmt.Errorf("%s %s: %w", r.program, r.bug, err)
		}
		m.print(t, r)
		if m.Cut {
			return ctx.Err()
		}
	}
	return nil
}

func contains(list, name string) bool {
	for x := range strings.SplitSeq(list, ",") {
		if x == name {
			return true
		}
	}
	return false
}

// measured is the runs of one row.
type measured struct{ *engine.BreakRun }

// measure sets the breakpoint of the row in a copy of its program and runs it.
func measure(ctx context.Context, tmp string, r row, n int) (*measured, error) {
	dir := filepath.Join(tmp, r.program+"-"+strings.ReplaceAll(r.bug, " ", "-"))
	src, err := unpack(r.program, dir)
	if err != nil {
		return nil, err
	}
	add := engine.AddBreakOptions{Dir: dir, Kind: r.kind, If: r.cond, Order: r.order, Timeout: r.timeout, IgnoreFirst: r.ignore, AtMost: r.most}
	for _, mark := range r.sides {
		line, err := marked(src, mark)
		if err != nil {
			return nil, err
		}
		add.Places = append(add.Places, fmt.Sprintf("main.go:%d", line))
	}
	if _, err := engine.AddBreak(ctx, add); err != nil {
		return nil, err
	}
	run, err := engine.RunBreaks(ctx, engine.RunBreaksOptions{Dir: dir, Args: r.args, N: n, Plain: n, Timeout: 20 * time.Second}, nil)
	if err != nil {
		return nil, err
	}
	return &measured{run}, nil
}

// unpack makes a module of a program and returns its source.
func unpack(name, dir string) (src string, err error) {
	data, err := programs.ReadFile("programs/" + name + "/main.go")
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/"+name+"\n\ngo 1.26\n"), 0o644); err != nil {
		return "", err
	}
	return string(data), os.WriteFile(filepath.Join(dir, "main.go"), data, 0o644)
}

// marked is the line with the comment "// mark", from 1.
func marked(src, mark string) (int, error) {
	n, at := 0, 0
	for line := range strings.Lines(src) {
		n++
		if _, comment, ok := strings.Cut(line, "// "+mark); ok && (comment == "\n" || strings.HasPrefix(comment, ":")) {
			if at > 0 {
				return 0, fmt.Errorf("two lines are marked %s", mark)
			}
			at = n
		}
	}
	if at == 0 {
		return 0, fmt.Errorf("no line is marked %s", mark)
	}
	return at, nil
}

func (m *measured) print(t *table.Table, r row) {
	failure := "none"
	if len(m.Failures) > 0 {
		failure = m.Failures[0].Message
	}
	added := m.MS - m.Plain.MS
	t.Row(r.program, r.bug, fraction(m.Plain.Failed, m.Plain.Runs), fraction(m.Failed, m.Runs),
		fmt.Sprintf("%.3f", ratio(m.Failed, m.Runs)), r.paperProb, m.Plain.MS, m.MS, added,
		fmt.Sprintf("%.0f", 100*added/m.Plain.MS), r.paperOverhead, failure)
}

func fraction(k, n int) string { return fmt.Sprintf("%d/%d", k, n) }

func ratio(k, n int) float64 {
	if n == 0 {
		return 0
	}
	return float64(k) / float64(n)
}
