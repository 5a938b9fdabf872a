package constraint

import "slices"

// Goal is Φ_bug: what a schedule has to show. The zero Goal asks for nothing.
// All parts hold at the end of the schedule, together.
type Goal struct {
	Name    string    // for people: "data race on count"
	Include []EventID // happen
	// Stop: threads stand before these: what is before each has happened, the
	// event itself has not. Two conflicting accesses in Stop are a data race.
	Stop []EventID
	// Blocked: as Stop, and the event is not possible.
	Blocked []EventID
	// Stuck: no event is possible, at least one thread is not at its end, and
	// none stands where it is not known how it goes on.
	Stuck bool
	Order []Edge  // both happen, in this order
	Cond  []*Term // hold, over symbols of events that happen
}

// Happens lists the events that have to happen for the goal, whatever else does:
// those of Include, Order and Cond. One may be there more than once.
func (g *Goal) Happens() []EventID {
	all := slices.Clone(g.Include)
	for _, d := range g.Order {
		all = append(all, d.Before, d.After)
	}
	for _, c := range g.Cond {
		all = c.symbols(all)
	}
	return all
}

// Stands lists the events that threads have to stand before: those of Stop and
// Blocked.
func (g *Goal) Stands() []EventID { return slices.Concat(g.Stop, g.Blocked) }

// Edge is an order of two events that both happen.
type Edge struct{ Before, After EventID }

// Schedule is a solution.
type Schedule struct {
	Order  []EventID         // the events that happen
	Values map[EventID]Value // what each read and receive took
}
