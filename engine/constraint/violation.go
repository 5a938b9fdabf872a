package constraint

import "fmt"

// Violation is a rule that an order breaks.
type Violation struct {
	Event  EventID // that breaks it; System.End for the goal
	Rule   string  // which: "Φ_sync: lock", ...
	Reason string
	// Clause is true in every valid schedule (that meets the goal, if Rule is
	// the goal's) and false in the current order. Only Explain makes it.
	Clause Clause
}

// Rules of a Violation.
const (
	ruleProgram    = "Φ_mo: program order"
	ruleBranch     = "Φ_mo: one of the alternatives"
	ruleSpawn      = "Φ_mo: start after spawn"
	ruleLock       = "Φ_sync: lock"
	ruleWaitGroup  = "Φ_sync: wait group"
	ruleCond       = "Φ_sync: cond"
	ruleChannel    = "Φ_sync: channel"
	ruleClose      = "Φ_sync: close"
	ruleRendezvous = "Φ_sync: rendezvous"
	rulePath       = "Φ_path: condition"
	ruleGoal       = "Φ_bug: goal"
)

func (v *Violation) Error() string {
	return fmt.Sprintf("event %d breaks %s: %s", v.Event, v.Rule, v.Reason)
}

func violated(e EventID, rule, reason string) *Violation {
	return &Violation{Event: e, Rule: rule, Reason: reason}
}

func unless(ok bool, e EventID, rule, reason string) *Violation {
	if ok {
		return nil
	}
	return violated(e, rule, reason)
}
