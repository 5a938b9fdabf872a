package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/internal/words"
)

func breakCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "break",
		Short: "Concurrent breakpoints: statements at which goroutines meet",
		Long: `A concurrent breakpoint names two statements or more of different goroutines, and
a condition. A run with it pauses a goroutine that reaches one of them until the
others have reached theirs, then lets them go on in the chosen order: what happens
otherwise in one of a thousand runs happens in almost every one. Breakpoints are in
.hocket/breakpoints.json, which is meant to be committed.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown command \"break %s\"; the commands are add, list, edit, rm and run", args[0])
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(breakAddCommand(), breakListCommand(), breakEditCommand(), breakRemoveCommand(), breakRunCommand())
	return cmd
}

// breakFlags are those that add and edit have in common.
type breakFlags struct {
	condition, kind, order, timeout, note string
	ignore, hits                          int
	flags                                 engine.Flags
	overlay                               string
	json                                  bool
	watcher
}

func (b *breakFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&b.condition, "if", "", "condition over the sides' variables, such as 't1.p == t2.p'")
	f.StringVar(&b.kind, "kind", "", "kind of meeting: "+strings.Join(engine.BreakKinds(), ", "))
	f.StringVar(&b.order, "order", "", "order in which the sides go on, such as 2,1")
	f.StringVar(&b.timeout, "timeout", "", "how long a side waits for the others, such as 100ms")
	f.IntVar(&b.ignore, "ignore", 0, "meetings in a run to ignore before the first hit (a visit of one side alone does not count)")
	f.IntVar(&b.hits, "hits", 0, "maximum number of hits in a run (0: no limit)")
	f.StringVar(&b.note, "note", "", "a note that is kept with it")
	f.BoolVar(&b.json, "json", false, "print one JSON object")
	f.StringVar(&b.flags.Tags, "tags", "", "build tags, as in go test")
	f.StringVar(&b.flags.Mod, "mod", "", "module mode, as in go test")
	f.StringVar(&b.overlay, "overlay", "", "JSON file that replaces source files, as in go test")
	b.watcher.add(cmd)
}

// numbers reads the order.
func (b *breakFlags) numbers() ([]int, error) {
	var order []int
	for _, word := range strings.FieldsFunc(b.order, func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil, fmt.Errorf("invalid -order %s: %q is not the number of a side; write 2,1, for example", b.order, word)
		}
		order = append(order, n)
	}
	return order, nil
}

func (b *breakFlags) texts() (map[string]string, error) {
	if b.overlay == "" {
		return nil, nil
	}
	return engine.ReadTexts(b.overlay)
}

func breakAddCommand() *cobra.Command {
	var b breakFlags
	var finding string
	cmd := &cobra.Command{
		Use:   "add [flags] FILE.go:LINE FILE.go:LINE...",
		Short: "Set a concurrent breakpoint",
		Long: `Add sets a concurrent breakpoint at two statements or more, each as FILE.go:LINE,
or FILE.go:LINE:COLUMN where a line has several. The same statement twice means two
goroutines at it. Files are named as for go build, or as module@version/path in a
dependency. With -finding the breakpoint is made from a finding and replays its order.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if finding != "" {
				return breakFromFinding(cmd, &b, finding, args)
			}
			if len(args) == 0 {
				return errors.New("hocket break add needs two locations or more: hocket break add FILE.go:LINE FILE.go:LINE, or -finding ID")
			}
			order, err := b.numbers()
			if err != nil {
				return err
			}
			texts, err := b.texts()
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("timeout") && b.timeout == "" {
				return errors.New(`-timeout "": give a duration such as 100ms, or leave it out`)
			}
			ctx, _, stop, err := b.start(cmd)
			if err != nil {
				return err
			}
			defer stop()
			br, err := engine.AddBreak(ctx, engine.AddBreakOptions{Places: args, Kind: b.kind, If: b.condition, Order: order, Timeout: b.timeout,
				IgnoreFirst: b.ignore, AtMost: b.hits, Note: b.note, Flags: b.flags, Overlay: texts})
			if err != nil {
				return interrupted(ctx, err)
			}
			return printBreak(cmd.OutOrStdout(), br, b.json)
		},
	}
	b.add(cmd)
	cmd.SetFlagErrorFunc(invalidLocation)
	cmd.Flags().StringVar(&finding, "finding", "", "make it from the finding with this id")
	return cmd
}

var lineFlag = regexp.MustCompile(`^unknown flag: --(\d+)$`)

// invalidLocation explains a line that was written like a flag.
func invalidLocation(_ *cobra.Command, err error) error {
	if m := lineFlag.FindStringSubmatch(err.Error()); m != nil {
		return fmt.Errorf("invalid location -%s: write FILE.go:LINE, such as m.go:%s", m[1], m[1])
	}
	return err
}

// breakFromFinding makes a breakpoint of a finding, which determines all of it: no
// other flag may be given.
func breakFromFinding(cmd *cobra.Command, b *breakFlags, id string, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("-finding %s and locations can't be combined; leave %s out", id, args[0])
	}
	for _, name := range []string{"if", "kind", "order", "timeout", "ignore", "hits", "overlay", "note"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("-finding %s and -%s can't be combined: the finding says it; leave one of them out", id, name)
		}
	}
	ctx, progress, stop, err := b.start(cmd)
	if err != nil {
		return err
	}
	defer stop()
	br, err := engine.BreakFromFinding(ctx, engine.BreakFromFindingOptions{ID: id}, progress.update)
	progress.close()
	if err != nil {
		return interrupted(ctx, err)
	}
	return printBreak(cmd.OutOrStdout(), br, b.json)
}

func breakListCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the concurrent breakpoints, and where their statements are now",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("hocket break list takes no arguments; leave %s out", args[0])
			}
			list, err := engine.Breaks(cmd.Context(), "", nil)
			if err != nil {
				return err
			}
			if asJSON {
				return encodeJSON(cmd.OutOrStdout(), list)
			}
			if len(list.Breaks) == 0 {
				fmt.Fprintln(cmd.ErrOrStderr(), "hocket: no breakpoints in this module yet; hocket break add FILE.go:LINE FILE.go:LINE sets one")
			}
			p := &printer{w: cmd.OutOrStdout()}
			for _, b := range list.Breaks {
				p.breakpoint(b)
			}
			return p.err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func breakEditCommand() *cobra.Command {
	var b breakFlags
	var off, accept bool
	cmd := &cobra.Command{
		Use:   "edit [flags] ID",
		Short: "Change a concurrent breakpoint, or turn it off and on",
		Long: `Edit changes what the flags name; an empty value removes it. -off turns the
breakpoint off, -off=false on. -accept accepts statements that have changed since
they were set.`,
		Args: oneBreak,
		RunE: func(cmd *cobra.Command, args []string) error {
			o := engine.EditBreakOptions{ID: args[0], Accept: accept, Flags: b.flags}
			order, err := b.numbers()
			if err != nil {
				return err
			}
			if o.Overlay, err = b.texts(); err != nil {
				return err
			}
			changed := accept
			given := func(name string) bool {
				is := cmd.Flags().Changed(name)
				changed = changed || is
				return is
			}
			choose(given("if"), &o.If, &b.condition)
			choose(given("kind"), &o.Kind, &b.kind)
			choose(given("order"), &o.Order, &order)
			choose(given("timeout"), &o.Timeout, &b.timeout)
			choose(given("ignore"), &o.IgnoreFirst, &b.ignore)
			choose(given("hits"), &o.AtMost, &b.hits)
			choose(given("note"), &o.Note, &b.note)
			choose(given("off"), &o.Off, &off)
			if !changed {
				return errors.New("hocket break edit: nothing to change; hocket break edit -h lists the flags")
			}
			ctx, _, stop, err := b.start(cmd)
			if err != nil {
				return err
			}
			defer stop()
			br, err := engine.EditBreak(ctx, o)
			if err != nil {
				return interrupted(ctx, err)
			}
			return printBreak(cmd.OutOrStdout(), br, b.json)
		},
	}
	b.add(cmd)
	cmd.Flags().BoolVar(&off, "off", false, "turn it off (=false: on)")
	cmd.Flags().BoolVar(&accept, "accept", false, "accept statements that have changed")
	return cmd
}

// choose gives an option the value of a flag that was set.
func choose[T any](given bool, option **T, value *T) {
	if given {
		*option = value
	}
}

func breakRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "rm ID",
		Aliases: []string{"remove"},
		Short:   "Remove a concurrent breakpoint",
		Args:    oneBreak,
		RunE: func(cmd *cobra.Command, args []string) error {
			return engine.RemoveBreak(cmd.Context(), "", args[0])
		},
	}
}

func oneBreak(cmd *cobra.Command, args []string) error {
	if len(args) == 1 {
		return nil
	}
	return fmt.Errorf("hocket break %s needs the id of one breakpoint; hocket break list shows them", cmd.Name())
}

func encodeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return &exitError{exitUsage, fmt.Errorf("write the answer: %w", err)}
	}
	return nil
}

func printBreak(w io.Writer, b *engine.Break, asJSON bool) error {
	if asJSON {
		return encodeJSON(w, b)
	}
	p := &printer{w: w}
	p.breakpoint(b)
	return p.err
}

// breakpoint prints one: a line of what it is, a line for each side.
func (p *printer) breakpoint(b *engine.Break) {
	p.f("%s  %s\n", b.ID, strings.Join(breakWords(b), "  "))
	if b.Wrong != "" {
		p.f("    invalid: %s\n", b.Wrong)
	}
	for i := range b.Sides {
		p.side(b.ID, i+1, &b.Sides[i])
	}
	if b.Last != nil {
		p.f("    last: %s, hit in %d, failed %d (%s)\n", words.Count(b.Last.Runs, "run"), b.Last.Hits, b.Last.Failed, b.Last.When.Local().Format(time.DateTime))
	}
}

func breakWords(b *engine.Break) []string {
	words := []string{b.Kind}
	if b.Off {
		words = append(words, "off")
	}
	if b.Schedule != nil {
		words = append(words, "finding "+b.Schedule.Finding+": "+strings.Join(strings.Fields(b.Schedule.Message), " "))
	}
	if b.If != "" {
		words = append(words, "if "+b.If)
	}
	if len(b.Order) > 0 {
		words = append(words, "order "+strings.ReplaceAll(strings.Trim(fmt.Sprint(b.Order), "[]"), " ", ","))
	}
	for _, n := range []struct {
		what  string
		value int
	}{{"ignores the first", b.IgnoreFirst}, {"hits at most", b.AtMost}} {
		if n.value > 0 {
			words = append(words, fmt.Sprintf("%s %d", n.what, n.value))
		}
	}
	if b.Timeout != "" {
		words = append(words, "timeout "+b.Timeout)
	}
	if b.Note != "" {
		words = append(words, "("+b.Note+")")
	}
	return words
}

func (p *printer) side(id string, n int, s *engine.BreakSide) {
	if s.Lost != "" {
		p.f("    %d  %s:%d  %s  lost: %s\n", n, s.Place.File, s.Place.Line, s.Place.Func, s.Lost)
		return
	}
	note := ""
	switch l := s.Location; {
	case l.Changed:
		note = "  (changed: " + l.Why + "; hocket break edit -accept " + id + " accepts it)"
	case l.Moved:
		note = "  (moved: " + l.Why + ")"
	}
	if s.MarksStart() {
		note = "  (marks a goroutine's start)" + note
	}
	p.f("    %d  %s:%d:%d  %s  %s%s\n", n, s.File(), s.Location.Line, s.Location.Column, s.Location.Func, firstLine(s.Location.Text), note)
}

func firstLine(text string) string {
	line, _, more := strings.Cut(text, "\n")
	if more {
		line += " ..."
	}
	return line
}
