package present

import (
	"fmt"
	"strings"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/internal/words"
)

// doing words an operation of the root cause: as done, and as being waited for.
var doing = map[string][2]string{
	"read": {"reads", "to read"}, "write": {"writes", "to write"}, "load": {"reads", "to read"},
	"store": {"sets", "to set"}, "add": {"adds to", "to add to"}, "cas": {"compares and swaps", "to swap"},
	"lock": {"locks", "to lock"}, "unlock": {"unlocks", "to unlock"},
	"rlock": {"read-locks", "to read-lock"}, "runlock": {"read-unlocks", "to read-unlock"},
	"trylock": {"tries to lock", "to lock"}, "tryrlock": {"tries to read-lock", "to read-lock"},
	"wait": {"waits for", "for"}, "done": {"calls Done on", "to call Done on"},
	"signal": {"signals", "to signal"}, "broadcast": {"broadcasts on", "to broadcast on"},
	"send": {"sends on", "to send on"}, "receive": {"receives from", "to receive from"},
	"close": {"closes", "to close"}, "select": {"selects on", "in a select on"},
	"get": {"takes from", "to take from"}, "put": {"puts into", "to put into"}, "once": {"runs", "to run"},
	"go": {"starts", "to start"}, "panic": {"panics", "to panic"}, "fail": {"fails the test", "to fail the test"},
}

const (
	forEver = "waits for ever" // in a cell of the table
	nothing = "-"
	// elsewhere follows what another than the nearest passing run did.
	elsewhere = " in another run"
)

// stepWords says what a step does and how that differs from passing runs; its
// goroutine comes before that.
func stepWords(s *step) string {
	op, ok := doing[s.access.Op]
	if !ok {
		op = [2]string{"does " + s.access.Op, "to " + s.access.Op}
	}
	object := s.access.Var
	if object == "" {
		object = "here"
	}
	what := op[0] + " " + object
	if s.row == nil {
		return what
	}
	failing, passing := value(s.row.Failing), strings.TrimSuffix(value(s.row.Passing), elsewhere)
	switch {
	case s.row.Failing == forEver:
		return "waits for ever " + op[1] + " " + object
	case s.row.Failing == nothing:
		return "has not come here when it fails; in passing runs it has"
	case s.row.Passing == nothing:
		return what + colon(failing) + ", which no passing run does here"
	case !s.row.Differs || passing == "":
		return what + colon(failing)
	case placed(failing):
		return fmt.Sprintf("%s %s (passing run: %s)", what, failing, passing)
	}
	return fmt.Sprintf("%s%s; passing run: %s", what, colon(failing), passing)
}

// value is a cell without the word that every step shares: "runs (from 32) →
// false" is "from 32 → false".
func value(cell string) string {
	rest, ok := strings.CutPrefix(cell, "runs")
	if !ok {
		return cell
	}
	if from, way, ok := strings.Cut(strings.TrimPrefix(rest, " ("), ")"); ok && strings.HasPrefix(rest, " (") {
		return from + way // where the value came from, and which way it led
	}
	return strings.TrimLeft(rest, " ,→")
}

// placed reports whether a value says where or when, and needs no colon.
func placed(value string) bool {
	return strings.HasPrefix(value, "before ") || strings.HasPrefix(value, "after ") || strings.HasPrefix(value, "from ")
}

func colon(s string) string {
	switch {
	case s == "":
		return ""
	case placed(s):
		return " " + s
	}
	return ": " + s
}

func blockedWords(b report.Blocked) string {
	s := name(b.Goroutine) + " waits here for ever"
	if b.Count > 1 {
		s = b.Who() + " here for ever"
	}
	if b.On != "" {
		s += ": " + b.On
	}
	if b.Holder != "" {
		s += ", held by " + b.Holder
	}
	return s
}

func switchWords(n report.Need) string {
	why := "waits here and " + name(n.To) + " runs"
	if n.Preempt {
		why = "is stopped here and " + name(n.To) + " runs"
	}
	return fmt.Sprintf("%s %s: without this switch %d of %d runs fail", name(n.From), why, n.Failed, n.Runs)
}

func name(goroutine string) string {
	if goroutine == "" {
		return "a goroutine"
	}
	return goroutine
}

// what is the failure in a few words.
func what(f *report.Finding) string {
	if m := words.FirstLine(f.Message); m != "" {
		return m
	}
	return strings.ReplaceAll(f.Kind, "-", " ")
}

// sentence is the explanation in one line without markup, and what follows its
// first sentence.
func (it *Item) sentence() (first, rest string) {
	s := it.lines.words(it.Finding.Sentence)
	s = words.OneLine(strings.ReplaceAll(s, "`", ""))
	if i := strings.Index(s, ". "); i > 0 {
		return s[:i], s[i+2:]
	}
	return strings.TrimSuffix(s, "."), ""
}

func class(f *report.Finding) string {
	if f.Class == "" || f.Class == "other" {
		return strings.ReplaceAll(f.Kind, "-", " ")
	}
	return strings.ReplaceAll(f.Class, "-", " ")
}

// changedNote ends every message about a finding of which a line was edited.
const changedNote = "changed since found: replay"

func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
