package breakfile

// KindDoc says what a kind of breakpoint is, for people. Docs and help are made
// of it.
type KindDoc struct {
	Kind   string
	Places string // which statements: "two that take the same lock"
	Text   string // what it is for, in a few lines
	// Finding is the kind or class of finding that such a breakpoint provokes,
	// "" if there is no such one.
	Finding string
	// Chosen: people may choose it; else it is made from a finding.
	Chosen bool

	most int // places, 0 for no limit of the kind
}

var kindDocs = []KindDoc{
	{Kind: Conflict, Chosen: true, Places: "any two or more; the default",
		Text: `The goroutines meet at the statements, whatever these are, and go on in the
order chosen.`},
	{Kind: Race, Chosen: true, most: 2, Places: "two accesses of the same memory", Finding: "data-race",
		Text: `Two accesses of the same variable, one of them a write, of which nothing says
which is first. Let the one go first that is the less expected one: -order 2,1. A
condition such as 't1.p == t2.p' keeps it to the same object.`},
	{Kind: Contention, Chosen: true, most: 2, Places: "two that take the same lock",
		Text: `Two goroutines come for the same lock at once. The order says who gets it.`},
	{Kind: Atomicity, Chosen: true, most: 3, Places: "two, or three: the first part, what comes between, the second part", Finding: "atomicity-violation",
		Text: `What one goroutine does in two steps, such as check and use, and what another
does between them. With two places: the second step, and what comes before it;
-order 2,1 lets the other goroutine in.`},
	{Kind: Deadlock, Chosen: true, Places: "two or more that take locks in different orders", Finding: "deadlock",
		Text: `Each goroutine holds a lock and is about to take the one that the other holds.
Name the second Lock of each: those who meet there hold their first.`},
	{Kind: Notify, Chosen: true, most: 2, Places: "a wait, and a signal that comes too early", Finding: "missed-signal",
		Text: `A goroutine is about to wait, on a condition or a channel, and another gives the
signal before it does: the wait first, then the signal, and -order 2,1.`},
	{Kind: Order, Chosen: true, Places: "the first side in the order does not wait, the others wait for it", Finding: "order-violation",
		Text: `One statement must come before others. The first side in the order goes by
without a pause; the others wait until it has been there, or for their time-out.`},
	{Kind: Scheduled, Places: "those of a finding: made by `hocket break add -finding ID`",
		Text: `It is made from a finding by hocket break add -finding ID, and plays the
finding's order with points at its statements. Places that mark where a goroutine
is started tell the goroutines apart; nobody waits there.`},
}

// KindDocs are all kinds, in the order of the documentation.
func KindDocs() []KindDoc { return append([]KindDoc(nil), kindDocs...) }

// Kinds are those that people may choose, in the order of the documentation.
func Kinds() []string {
	var out []string
	for _, d := range kindDocs {
		if d.Chosen {
			out = append(out, d.Kind)
		}
	}
	return out
}

// kindDoc of a name, nil if there is no such kind.
func kindDoc(kind string) *KindDoc {
	if kind == "" {
		kind = Conflict
	}
	for i := range kindDocs {
		if kindDocs[i].Kind == kind {
			return &kindDocs[i]
		}
	}
	return nil
}
