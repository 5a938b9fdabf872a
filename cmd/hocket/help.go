package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report/kinds"
)

// helpCommand is cobra's help about commands, and help about what findings
// mean.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [command | kind | class | kinds | breakpoints]",
		Short: "Help about a command, or what a kind of finding means",
		Long: `Help shows how a command is used, or what a kind or class of finding means, with
an example and how to fix it: hocket help deadlock. hocket help kinds lists them;
hocket help breakpoints lists the kinds of concurrent breakpoints.`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return topics(root), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			w := cmd.OutOrStdout()
			if c, rest, err := root.Find(args); err == nil && (c != root || len(args) == 0) && len(rest) == 0 {
				c.InitDefaultHelpFlag()
				return c.Help()
			}
			name := strings.Join(args, " ")
			switch name {
			case "kinds":
				return printKinds(w)
			case breakTopic:
				return printBreakTopic(w)
			}
			// As people read it in findings: "atomicity violation".
			id := strings.ReplaceAll(strings.ToLower(name), " ", "-")
			if d, ok := kinds.Get(id); ok {
				return printDoc(w, d)
			}
			if k, ok := breakKind(id); ok {
				return printBreakKind(w, k)
			}
			if text, ok := terms[id]; ok {
				_, err := fmt.Fprintf(w, "%s: %s\n", id, text)
				return err
			}
			return fmt.Errorf("unknown command, kind or class %q; hocket help lists the commands, hocket help kinds the kinds of findings, hocket help breakpoints those of breakpoints", name)
		},
	}
}

// terms are words of findings that are no kinds and classes.
var terms = map[string]string{
	"path-dependent": `the failing run takes a branch that no passing run took with which it was
compared. No reordering of what those runs did gives the failure: first, a condition
has to come out otherwise. In the table of the explanation, look for the first row with a
condition ("→ true") on which the two runs differ. In JSON it is path_dependent of a
finding.

A test that runs only into the other branch can't show such a bug, however often it is
repeated. hocket find comes to it by strategies that turn conditions round: explore,
and cortex, which auto goes over to.`,
}

// topics are what can follow hocket help.
func topics(root *cobra.Command) []string {
	out := []string{"kinds", breakTopic}
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			out = append(out, c.Name()+"\t"+c.Short)
		}
	}
	for _, d := range kinds.All() {
		out = append(out, d.ID+"\t"+d.Title)
	}
	for _, id := range slices.Sorted(maps.Keys(terms)) {
		out = append(out, id+"\tword of findings")
	}
	for _, k := range engine.BreakKindDocs() {
		if _, ok := kinds.Get(k.Kind); !ok {
			out = append(out, k.Kind+"\tkind of breakpoint")
		}
	}
	return out
}

func printKinds(w io.Writer) error {
	p := &printer{w: w}
	list := func(title string, pick func(kinds.Doc) bool) {
		p.f("%s\n", title)
		for _, d := range kinds.All() {
			if pick(d) {
				p.f("  %-20s %s\n", d.ID, d.Title)
			}
		}
	}
	list("Kinds: how a program failed.", func(d kinds.Doc) bool { return d.Kind })
	p.f("\n")
	list("Classes: what is wrong with the order.", func(d kinds.Doc) bool { return d.Class })
	p.f("\nhocket help NAME shows one, with an example and how to fix it.\n")
	return p.err
}

func printDoc(w io.Writer, d kinds.Doc) error {
	p := &printer{w: w}
	p.f("%s (%s): %s.\n\n%s\n", d.ID, sort(d), d.Title, d.Text)
	if d.Before != "" {
		p.f("\nWith the bug:\n\n%s\nWithout:\n\n%s", indent(d.Before), indent(d.After))
	}
	p.f("\nHow to fix it:\n\n%s\n", d.Fix)
	p.breakKindLine(d.ID)
	p.f("\n%s\n", kinds.URL(d.ID))
	return p.err
}

// sort says whether the doc is of a kind or class of finding.
func sort(d kinds.Doc) string {
	switch {
	case d.Kind && d.Class:
		return "kind and class of finding"
	case d.Kind:
		return "kind of finding"
	}
	return "class of finding"
}

func indent(code string) string {
	var b strings.Builder
	for line := range strings.Lines(code) {
		if line != "\n" {
			b.WriteString("    ")
		}
		b.WriteString(line)
	}
	return b.String()
}
