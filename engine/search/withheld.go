package search

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/trace"
)

// Withheld is something that a run showed and that is no finding.
type Withheld struct {
	Kind    string
	Message string
	Why     string
}

// withheld lists what was seen and is not among the campaign's findings, each
// with the reason.
func (c *Campaign) withheld(findings []Finding) []Withheld {
	var out []Withheld
	add := func(f *Finding, why string) {
		w := Withheld{Kind: string(f.Signature.Kind), Message: f.Words(), Why: why}
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	always := c.ledger.only()
	for _, s := range c.ledger.ordered() {
		f, ok := c.ledger.finding(s)
		switch {
		case c.ledger.excused[f.Signature]:
		case c.ledger.rejected[f.Signature]:
			add(&f, "its schedule did not show it again when it was replayed")
		case !ok && f.Signature.Kind == always && c.final == FailsAlways: // the status says it
		case !ok && f.Signature.Kind == always && c.ledger.verdicts >= alwaysAfter(always, c.opt.AlwaysAfter):
			add(&f, fmt.Sprintf("every schedule fails with a %s, so it is no question of the order", always))
		case !ok && f.Signature.Kind == always:
			add(&f, allSoFar(c.ledger.verdicts, always))
		case c.ledger.aim != nil && !ok && f.Level == SameFailure:
			add(&f, "it is the failure that was looked for, with other goroutines elsewhere")
		case c.ledger.aim != nil && !ok:
			add(&f, "it is another state than the one that was looked for")
		case ok && !slices.ContainsFunc(findings, func(g Finding) bool { return g.Covers(&f) }):
			add(&f, "the target is "+strings.ReplaceAll(string(c.final), "-", " ")+": "+c.reason)
		case !ok && f.Signature.Kind == trace.Leaked:
			f.Signature.Places = strings.Join(c.ledger.alwaysLeaks(), "; ")
			add(&f, "every schedule leaves goroutines blocked there")
		}
	}
	for i := range c.ledger.counted {
		add(&c.ledger.counted[i], "the test counts allocations, and the runtime and other goroutines allocate as well")
	}
	for i := range c.ledger.timeOuts {
		add(&c.ledger.timeOuts[i], "it is a time-out of the test's own, and came only when goroutines were delayed that could run")
	}
	return out
}

// Words are the message of the failure; of a race, deadlock or leak, its places.
func (f *Finding) Words() string {
	if f.Signature.Kind == trace.Raced {
		return raceWords(f.Signature.Places)
	}
	if f.Result == nil || f.Signature.Message == "" {
		return f.Signature.Places
	}
	return cmp.Or(f.Result.Outcome.Message, f.Signature.Message)
}

// raceWords are the two places of a race: not of each access is the place known.
func raceWords(places string) string {
	one, other, _ := strings.Cut(places, "; ")
	switch {
	case one == "" && other == "":
		return "two places that are not known"
	case one == "":
		return other + "; a place that is not known"
	}
	return places
}
