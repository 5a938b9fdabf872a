package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine"
)

// injected sets the breakpoint in a copy of the program as people do, at the
// lines marked hot and never, and lets hocket run it, with it and without in turn.
func (p *program) injected(ctx context.Context, rounds int) (plain, set []cost, err error) {
	dir := filepath.Join(p.tmp, "module")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, nil, err
	}
	var places []string
	for _, name := range []string{"main.go", "points_off.go"} {
		text, err := os.ReadFile(filepath.Join(p.source, name))
		if err != nil {
			return nil, nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return nil, nil, err
		}
		places = append(places, marked(name, string(text))...)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/"+p.name+"\n\ngo 1.25\n"), 0o644); err != nil {
		return nil, nil, err
	}
	if _, err := engine.AddBreak(ctx, engine.AddBreakOptions{Dir: dir, Places: places}); err != nil {
		return nil, nil, err
	}
	r, err := engine.RunBreaks(ctx, engine.RunBreaksOptions{Dir: dir, Args: []string{p.size}, N: rounds, Plain: rounds, Timeout: 10 * time.Minute}, nil)
	if err != nil {
		return nil, nil, err
	}
	for _, b := range r.Breakpoints {
		if b.Lost != "" || b.Hit > 0 || b.Sides[0].Postponed == 0 || b.Sides[1].Reached > 0 || r.Failed > 0 {
			return nil, nil, fmt.Errorf("not what was to be measured: %+v, %d failed: %s", b, r.Failed, r.Output)
		}
	}
	return costsOf(r.Plain.Times), costsOf(r.Times), nil
}

func costsOf(times []engine.RunTime) []cost {
	var all []cost
	for _, t := range times {
		all = append(all, cost{t.Wall, t.CPU})
	}
	return all
}

// marked gives the places of the statements with the comments "hot" and "never".
func marked(name, text string) []string {
	var places []string
	for i, line := range strings.Split(text, "\n") {
		if strings.HasSuffix(line, "// hot") || strings.HasSuffix(line, "// never") {
			places = append(places, fmt.Sprintf("%s:%d", name, i+1))
		}
	}
	return places
}
