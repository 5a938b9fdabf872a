package main

import (
	"io"
	"strings"

	"github.com/hocket-dev/hocket/engine"
)

// breakTopic names what hocket help breakpoints prints.
const breakTopic = "breakpoints"

const breaksURL = "https://github.com/hocket-dev/hocket/blob/main/docs/breakpoints.md"

// breakKind is the kind of breakpoint with a name.
func breakKind(name string) (engine.BreakKind, bool) {
	for _, k := range engine.BreakKindDocs() {
		if k.Kind == name {
			return k, true
		}
	}
	return engine.BreakKind{}, false
}

// breakKindOf is the kind of breakpoint that has the name of a kind or class of
// finding, or else that provokes it.
func breakKindOf(finding string) (engine.BreakKind, bool) {
	if k, ok := breakKind(finding); ok {
		return k, true
	}
	for _, k := range engine.BreakKindDocs() {
		if k.Finding == finding {
			return k, true
		}
	}
	return engine.BreakKind{}, false
}

// printBreakTopic shows what concurrent breakpoints are.
func printBreakTopic(w io.Writer) error {
	p := &printer{w: w}
	p.f(`breakpoints: concurrent breakpoints are statements at which goroutines meet.

A run with one pauses a goroutine that reaches one of its statements until the
others have reached theirs, then lets them go on in the chosen order.

    hocket break add cache.go:27 cache.go:34 -if 't1.e == t2.e' -order 2,1
    hocket break run -run TestDrop .

Kinds, for -kind: what you expect; only order changes what happens.
`)
	for _, k := range engine.BreakKindDocs() {
		p.f("  %-12s %s\n", k.Kind, strings.ReplaceAll(k.Places, "`", ""))
	}
	p.f("\nhocket help KIND shows one, hocket break -h the commands.\n\n%s\n", breaksURL)
	return p.err
}

func printBreakKind(w io.Writer, k engine.BreakKind) error {
	p := &printer{w: w}
	p.f("%s (kind of breakpoint): %s.\n\n%s\n", k.Kind, strings.ReplaceAll(k.Places, "`", ""), k.Text)
	if k.Finding != "" {
		p.f("\nSuch a breakpoint makes this happen: hocket help %s.\n", k.Finding)
	}
	p.f("\n%s#kinds\n", breaksURL)
	return p.err
}

// breakKindLine names, on the page of a finding, the kind of breakpoint for it.
func (p *printer) breakKindLine(finding string) {
	k, ok := breakKindOf(finding)
	switch {
	case !ok:
	case k.Kind == finding:
		p.f("\n%s is a kind of breakpoint too (hocket break add -kind %s): %s.\n", k.Kind, k.Kind, k.Places)
	default:
		p.f("\nThe kind of breakpoint for it is %s (hocket break add -kind %s): %s.\n", k.Kind, k.Kind, k.Places)
	}
}
