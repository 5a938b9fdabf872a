package main

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/dap"
)

// debugBreaks runs a program with its concurrent breakpoints in Delve: on this
// terminal, or for an editor that speaks the Debug Adapter Protocol. how is the
// value of -debug.
func debugBreaks(cmd *cobra.Command, how string, opt engine.BreakDebugOptions) error {
	delve, err := debugger(how)
	if err != nil {
		return err
	}
	prepare := func(ctx context.Context, progress engine.Progress) (*engine.BreakDebuggee, error) {
		return engine.PrepareBreakDebug(ctx, opt, progress)
	}
	if how != debugTerminal {
		return serveDAP(cmd, how, dap.Options{Delve: delve, PrepareBreaks: prepare})
	}
	p := newProgress(cmd.ErrOrStderr())
	d, err := prepare(cmd.Context(), p.update)
	p.close()
	if err != nil {
		return interrupted(cmd.Context(), err)
	}
	defer d.Close()
	err = debugInTerminal(cmd, delve, terminalProgram{program: d.Program, dir: d.Dir, args: d.Args, env: d.Env,
		greeting: breaksGreeting(d), script: func(dir string) (string, error) { return breaksScript(d, dir) }})
	for _, line := range d.Outcome() {
		fmt.Fprintln(cmd.OutOrStdout(), line)
	}
	return err
}

//go:embed debug_sides.star
var sidesScript string

// breaksScript stops where sides meet, shows them, and goes to the first such
// stop. The commands that it defines are a file of their own.
func breaksScript(d *engine.BreakDebuggee, dir string) (string, error) {
	script := filepath.Join(dir, "sides.star")
	if err := os.WriteFile(script, []byte(breaksTable(d)+sidesScript), 0o600); err != nil {
		return "", err
	}
	var b strings.Builder
	for _, from := range slices.Sorted(maps.Keys(d.Moved)) {
		fmt.Fprintf(&b, "config substitute-path %s %s\n", from, d.Moved[from])
	}
	fmt.Fprintf(&b, "source %s\nbreak meeting hocketpoints.hit\non meeting sides\nstart\n", script)
	return b.String(), nil
}

// breaksTable is the breakpoints as Starlark.
func breaksTable(d *engine.BreakDebuggee) string {
	var b strings.Builder
	b.WriteString("BREAKS = {\n")
	for _, bp := range d.Breaks {
		var order, places []string
		for _, n := range bp.Order {
			order = append(order, strconv.Itoa(n))
		}
		for _, s := range bp.Sides {
			places = append(places, strconv.Quote(fmt.Sprintf("%s:%d", filepath.Base(s.File), s.Line)))
		}
		fmt.Fprintf(&b, "\t%d: (%q, [%s], [%s]),\n", bp.Number, bp.ID, strings.Join(order, ", "), strings.Join(places, ", "))
	}
	b.WriteString("}\n\n")
	return b.String()
}

// breaksGreeting lists the breakpoints and the commands of Delve that are
// needed most.
func breaksGreeting(d *engine.BreakDebuggee) string {
	var b strings.Builder
	p := &printer{w: &b}
	p.f("The program stops where all sides of a concurrent breakpoint have met, before any of them goes on:\n")
	for _, bp := range d.Breaks {
		p.f("  %s\n", bp)
	}
	for _, note := range d.Notes {
		p.f("%s\n", note)
	}
	p.f("\ncontinue lets the sides go on in order, to the next meeting or the end; sides shows who has met, side N goes to\n" +
		"side N (locals, args and print are its own there), release N stops when side N is about to do its statement\n" +
		"(next and step go on from there), goroutines and stack show who is where, exit ends.\n\n")
	return b.String()
}
