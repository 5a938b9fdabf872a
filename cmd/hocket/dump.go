package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/internal/words"
)

func dumpCommand() *cobra.Command {
	var o engine.FromOptions
	var b buildFlags
	var w watcher
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "dump [flags] core [packages] [-- program arguments]",
		Short: "Search for the failure that left a core dump",
		Long: `Dump reads a core of a Go program - of a panic, a fatal error, a deadlock, SIGQUIT or
SIGSEGV, left with GOTRACEBACK=crash - with the executable that made it, and searches
the program for a schedule that leads to the same state. If a goroutine failed, or waits
in a deadlock, it compares the core with a passing run at the same point first: where
goroutines change what differs there is what it tries before all else.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := b.check(); err != nil {
				return err
			}
			own, program := splitArgs(cmd, args)
			if len(own) == 0 {
				return errors.New("dump needs a core: hocket dump core ./cmd/server -- its arguments")
			}
			if _, err := os.Stat(own[0]); err != nil {
				return fmt.Errorf("read the core: %w", err)
			}
			if core, err := engine.IsCore(own[0]); err != nil {
				return err
			} else if !core {
				return fmt.Errorf("%s is no core dump; hocket from reads other artefacts of a failure", own[0])
			}
			o.File, o.Core, o.Patterns, o.Args, o.Flags = own[0], own[0], own[1:], program, b.flags
			return searchState(cmd, &o, &b, &w, asJSON)
		},
	}
	stateFlags(cmd, &o, &b, &w, &asJSON)
	return cmd
}

// compared prints how a core differs from a passing run.
func (s screen) compared(c *engine.CoreAnswer) {
	if c == nil {
		return
	}
	s.f("The core beside a passing run:\n")
	if len(c.Index) > 0 {
		open := ""
		if c.Open > 0 {
			open = fmt.Sprintf(", %d predicates not known", c.Open)
		}
		what := "the failure"
		if c.Waits {
			what = "a goroutine that waits"
		}
		s.f("    index of %s: %s%s\n", what, strings.Join(c.Index, " > "), open)
	}
	if a := c.Aligned; a != nil {
		how := fmt.Sprintf("the nearest point, %d of %d parts of the index", a.Nodes, len(c.Index))
		if a.Exact {
			how = "the same point"
		}
		switch {
		case a.Round:
			how += ", in the same round of the loops around it"
		case a.Rounds == 1:
			how += ", in the same round of the outermost loop"
		case a.Rounds > 1:
			how += fmt.Sprintf(", in the same round of the %d outermost loops", a.Rounds)
		}
		if a.Near > 1 && !a.Round {
			how += fmt.Sprintf("; the passing run comes there %d times, and the last of these was taken", a.Near)
			if !c.Counts {
				how += " (cores of programs that hocket build -dumpable made tell the round)"
			}
		}
		s.f("    aligned: %s:%d in %s, %s\n", a.File, a.Line, a.Func, how)
	}
	if c.Compared > 0 {
		s.f("    %s compared, %d differ; %d shared, %d of these differ\n", words.Count(c.Compared, "variable"), c.Different, c.Shared, c.Different-c.Alone)
	}
	s.variables(c.Critical, "")
	s.variables(c.Others, ", not shared")
	if c.First > 0 {
		s.f("    %s of one or two preemptions from these: put before and between those of the search\n", words.Count(c.First, "schedule"))
	}
	if c.Note != "" {
		s.f("    note: %s\n", c.Note)
	}
	s.f("\n")
}

// variables lists some that differ, each with what is true of all of them.
func (s screen) variables(list []engine.CoreVariable, what string) {
	for i, v := range list {
		if i == mostShown {
			s.f("    and %d more%s; -json has them\n", len(list)-i, what)
			break
		}
		values := ""
		if v.Core != "" {
			values = fmt.Sprintf(": %s, passing %s", v.Core, v.Passing)
		}
		s.f("    %s%s%s\n", v.Path, values, what)
	}
}
