package projection

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hocket-dev/hocket/internal/words"
)

// Markdown is the failing run of a view as a table, and what was measured of its switches.
func (v *WalkView) Markdown() string {
	var b strings.Builder
	b.WriteString("| step | goroutine | place | | failing run | passing run |\n|--:|---|---|---|---|---|\n")
	for i := range v.Failing {
		s := &v.Failing[i]
		if s.IsFold() {
			fmt.Fprintf(&b, "| ⋮ | | | *%s* | | |\n", escape(s.Code))
			continue
		}
		if s.Switch > 0 {
			fmt.Fprintf(&b, "| | | | *%s* | | |\n", escape(v.Switches[s.Switch-1].Words))
		}
		happens := escape(s.Happens)
		if s.Differs {
			happens = "**" + happens + "**"
		}
		fmt.Fprintf(&b, "| %d | %s | %s:%d | `%s` | %s | %s |\n", s.Number, escape(s.Goroutine), s.File, s.Line, escape(s.Code), happens, escape(s.Other))
	}
	for _, o := range v.Orders {
		fmt.Fprintf(&b, "\nOrder %d: step %d comes before step %d.\n", o.Number, o.Before, o.After)
	}
	return b.String()
}

// Text is the same for a terminal, at most 100 columns wide.
func (v *WalkView) Text() string {
	var b strings.Builder
	names, place := 0, 0
	for i := range v.Failing {
		names = max(names, utf8.RuneCountInString(v.Failing[i].Goroutine))
		place = max(place, utf8.RuneCountInString(v.Failing[i].place()))
	}
	names, place = min(names, 20), min(place, 22)
	for i := range v.Failing {
		s := &v.Failing[i]
		if s.IsFold() {
			fmt.Fprintf(&b, "    ⋮  %s\n", clip(s.Code, maxWidth-8))
			continue
		}
		if s.Switch > 0 {
			what, counted, _ := strings.Cut(v.Switches[s.Switch-1].Words, "; ")
			fmt.Fprintf(&b, "    -- %s\n", clip(what, maxWidth-8))
			if counted != "" {
				fmt.Fprintf(&b, "       %s\n", counted)
			}
		}
		mark := " "
		if s.Differs {
			mark = "*"
		}
		line := fmt.Sprintf("%5d %s %s  %s  %s · %s", s.Number, mark, pad(s.Goroutine, names), pad(s.place(), place), s.Code, s.Happens)
		b.WriteString(clip(line, maxWidth) + "\n")
	}
	for _, o := range v.Orders {
		fmt.Fprintf(&b, "\nOrder %d: step %d comes before step %d.", o.Number, o.Before, o.After)
	}
	if len(v.Orders) > 0 {
		b.WriteString("\n")
	}
	marks := ", * differs from the passing run"
	if v.Steps.Passing == 0 {
		marks = "; there is no passing run"
	}
	fmt.Fprintf(&b, "\n%s%s.\n", words.Count(v.Steps.Failing, "step"), marks)
	if shown := len(v.Switches); shown < v.Made {
		fmt.Fprintf(&b, "The run made %s, of which %s shown: the others are beside the start or end of a goroutine.\n",
			words.CountOf(v.Made, "switch", "switches"), areOf(shown))
	}
	return b.String()
}

func (s *WalkStep) place() string {
	return fmt.Sprintf("%s:%d", s.File[strings.LastIndexByte(s.File, '/')+1:], s.Line)
}

func pad(s string, n int) string {
	s = clip(s, n)
	return s + strings.Repeat(" ", n-utf8.RuneCountInString(s))
}

// words say what a switch is, and what was counted without it.
func (s Switch) words() string {
	how := "waits"
	if s.Preempt {
		how = "is stopped"
	}
	text := fmt.Sprintf("switch %d: %s %s, %s goes on", s.Number, s.From, how, s.To)
	if s.Runs > 0 {
		text += fmt.Sprintf("; without it %d of %s fail", s.Failed, words.Count(s.Runs, "run"))
	}
	if s.Runs > 0 && s.Orders > 0 {
		text += ", in " + words.Count(s.Orders, "order")
	}
	return text
}

// areOf is "1 is" or "2 are".
func areOf(n int) string {
	if n == 1 {
		return "1 is"
	}
	return fmt.Sprintf("%d are", n)
}
