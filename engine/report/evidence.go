package report

import (
	"cmp"
	"fmt"
	"strings"
)

// Evidence says how the finding is known: how often it failed, and where. What
// the plain build does by itself comes first.
func (f *Finding) Evidence() string {
	var parts []string
	if b := f.Baseline; b != nil && b.Runs > 0 {
		parts = append(parts, fmt.Sprintf("fails by itself in %s plain runs of the ordinary build", b))
	}
	if f.Recorded != nil {
		parts = append(parts, f.Recorded.Words())
	}
	parts = append(parts, f.replays())
	if f.Memory != "" {
		parts = append(parts, "under the memory model "+f.Memory+", where stores wait in buffers: the accesses are a data race, and it was not seen with each store made at once")
	}
	if s := f.onOrdinaryBuild(); s != "" {
		parts = append(parts, s)
	}
	// Where the ordinary build fails, the count of a build that only stands for it
	// says nothing more.
	if happened(f.Pinned) || f.Pinned != nil && !f.HappensNatively() {
		parts = append(parts, fmt.Sprintf("%s compiled as for production, under the controlled scheduler", f.Pinned))
	}
	if s := f.doubt(); s != "" {
		parts = append(parts, s)
	}
	s := strings.Join(parts, ", ")
	if f.NativeNote != "" && f.Confirmed != Native {
		s += " (" + f.NativeNote + ")"
	}
	return s + f.shape()
}

func (f *Finding) replays() string {
	s := fmt.Sprintf("replays %s", f.Replay)
	if f.SameEvents < f.Replay.Runs {
		s += fmt.Sprintf(" (%d along the very same steps)", f.SameEvents)
	}
	return s
}

// onOrdinaryBuild says what came of the order that the ordinary build was given.
func (f *Finding) onOrdinaryBuild() string {
	n := f.Native
	switch {
	case f.NeedsNoOrder:
		return "needs no order there"
	case n == nil:
		return ""
	case n.Failed > 0:
		return f.FailsWithOrder()
	case f.Played == n.Runs:
		return fmt.Sprintf("%s on the ordinary build with the order enforced", n)
	case f.Played == 0:
		return "its order could not be enforced on the ordinary build"
	}
	return fmt.Sprintf("0 of the %s on the ordinary build in which its order could be enforced", count(f.Played, "run", "s"))
}

// FailsWithOrder says how often the ordinary build failed when its order was
// enforced, or tried: a failure counts, whatever became of the order.
func (f *Finding) FailsWithOrder() string {
	s := fmt.Sprintf("fails %s on the ordinary build with ", f.Native)
	order := "the order "
	if f.NativeOrder == "core" {
		order = "the needed part of its order "
	}
	switch {
	case f.OneProcessor && f.NativeOrder == "":
		return s + "GOMAXPROCS=1"
	case f.OneProcessor:
		order = "GOMAXPROCS=1 and " + order
	}
	if f.Unplayed == 0 {
		return s + order + "enforced"
	}
	return s + order + fmt.Sprintf("tried, which was not enforced to its end in %d of these", f.Unplayed)
}

// doubt says how far the evidence goes where it does not reach the ordinary
// build.
func (f *Finding) doubt() string {
	switch {
	case f.Confirmed == RaceProved:
		return "a data race proved on the execution"
	case !f.OnlyControlled():
		return ""
	case f.Native == nil:
		return "seen only under control, not tried on the ordinary build"
	case f.NeverNatively() && f.Memory == "": // points with an order let no store wait
		return "seen only under control: may not happen in production"
	}
	return "seen only under control"
}

// shape is the schedule, where it is a result: one that was not simplified
// switches at random.
func (f *Finding) shape() string {
	c := f.Schedule
	if c.Raw || c.Switches == 0 || !c.Minimal && !c.Irreducible && c.Preemptions > manyPreemptions {
		return ""
	}
	s := fmt.Sprintf("; %s, %s", count(c.Switches, "context switch", "es"), count(c.Preemptions, "preemption", "s"))
	if c.Minimal {
		s += " (fewest possible, proved)"
	} else {
		s += " (fewest found)"
	}
	return s + f.needs()
}

// needs says how many switches are needed, and how far that was tried.
func (f *Finding) needs() string {
	n, orders := f.needed()
	if n == 0 {
		return ""
	}
	is, left := "are", "if one of them is left out"
	if n == 1 {
		is, left = "is", "without it"
	}
	fails := "no run fails"
	switch {
	case orders > 0 && n > 1:
		fails = "none of the orders tried fails"
	case orders == 1:
		fails = "the only order tried does not fail"
	case orders > 1:
		fails = fmt.Sprintf("none of the %d orders tried fails", orders)
	}
	return fmt.Sprintf("; %d of the switches %s needed: %s, %s", n, is, left, fails)
}

// manyPreemptions is more than a simplified schedule has.
const manyPreemptions = 10

// HappensNatively reports whether the ordinary build failed in some run, by
// itself or with the order enforced, be it in fewer than Confirmed == Native
// asks for.
func (f *Finding) HappensNatively() bool {
	return happened(f.Native) || happened(f.Baseline) || f.Recorded != nil && f.Recorded.Failed > 0
}

// OnlyControlled reports whether no build but the controlled one failed.
func (f *Finding) OnlyControlled() bool {
	return f.Confirmed == Controlled && !f.HappensNatively() && !happened(f.Pinned)
}

// NeverNatively reports whether the order was really enforced on the ordinary
// build, in most of many runs, and no run failed.
func (f *Finding) NeverNatively() bool {
	return f.Native != nil && f.Native.Runs >= enoughToDoubt && f.Played*10 >= f.Native.Runs*9 && !f.HappensNatively()
}

// enoughToDoubt is the number of runs that must have been made.
const enoughToDoubt = 20

func happened(c *Count) bool { return c != nil && c.Failed > 0 }

// needed counts the switches without which the failure never came. Without each of them
// at least so many different orders were run, 0 if they were not counted.
func (f *Finding) needed() (switches, orders int) {
	for _, s := range f.Necessity {
		if s.Runs == 0 || s.Failed > 0 {
			continue
		}
		if switches++; switches == 1 || s.Orders < orders {
			orders = s.Orders
		}
	}
	return switches, orders
}

// AlsoSeen names the other failures that the same cause leads to, "" if there are none.
func (f *Finding) AlsoSeen() string {
	var names []string
	for _, a := range f.Also {
		names = append(names, cmp.Or(a.Message, a.Kind))
	}
	if len(names) == 0 {
		return ""
	}
	return "the same bug was also seen as: " + strings.Join(names, "; ")
}
