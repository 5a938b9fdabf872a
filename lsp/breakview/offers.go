package breakview

import "fmt"

// Action is what can be done with a breakpoint.
type Action int

const (
	Run Action = iota
	TurnOn
	TurnOff
	Reorder // to Offer.Order
	Accept  // the text that a side has now
	Remove
)

// Offer is an action with what people see of it.
type Offer struct {
	Title  string
	Action Action
	Order  []int // for Reorder: the sides in the order of their release
}

// Offers are the actions that are offered on a side.
func (s Side) Offers() (out []Offer) {
	name := "breakpoint " + s.ID
	if s.Off {
		out = append(out, Offer{Title: "turn on " + name, Action: TurnOn})
	} else {
		out = append(out, Offer{Title: "run with " + name, Action: Run}, Offer{Title: "turn off " + name, Action: TurnOff})
	}
	if len(s.Places) == 2 {
		first := s.Releases()[0]
		out = append(out, Offer{Title: fmt.Sprintf("let side %d of %s go on first", 3-first, name), Action: Reorder, Order: []int{3 - first, first}})
	}
	if s.Place().Changed != "" {
		out = append(out, Offer{Title: "accept the new text of " + name, Action: Accept})
	}
	return append(out, Offer{Title: "remove " + name, Action: Remove})
}
