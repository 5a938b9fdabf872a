package breakpoints

import (
	"os"
	"strings"
)

// EnvEnable names the breakpoints made by New that are on, separated by
// commas; "all" is all of them.
const EnvEnable = "HOCKET_BREAKPOINTS"

// all in a list of names stands for every breakpoint.
const all = "all"

// registry knows the breakpoints made by New. It is guarded by hall.mu.
var registry struct {
	first   *registered
	enables *enabling
}

type registered struct {
	*Breakpoint
	next *registered
}

// enabling is one reason for breakpoints to be on.
type enabling struct {
	names []string
	next  *enabling
}

var atStart = enableAtStart(os.Getenv(EnvEnable))

func enableAtStart(names string) bool {
	if builtOn {
		names = all
	}
	if names != "" {
		Enable(strings.FieldsFunc(names, func(r rune) bool { return r == ',' || r == ' ' })...)
	}
	return names != ""
}

//go:norace
func register(b *Breakpoint) {
	raceOff()
	defer raceOn()
	hall.mu.Lock()
	defer hall.mu.Unlock()
	registry.first = &registered{b, registry.first}
	b.arm(enabled(b.def.Name))
}

//go:norace
func enabled(name string) bool {
	for e := registry.enables; e != nil; e = e.next {
		if has(e.names, name) || has(e.names, all) {
			return true
		}
	}
	return false
}

// Enable turns on the breakpoints with these names, those made later included;
// without names, all. The function that it returns ends this, and lets
// everybody go who is paused. What is turned on anew starts with fresh
// statistics. Typically:
//
//	defer breakpoints.Enable()()
func Enable(names ...string) (restore func()) {
	if len(names) == 0 {
		names = []string{all}
	}
	e := &enabling{names: names}
	change(func() { e.next, registry.enables = registry.enables, e })
	return func() {
		change(func() {
			for p := &registry.enables; *p != nil; p = &(*p).next {
				if *p == e {
					*p = e.next
					return
				}
			}
		})
	}
}

// change edits the reasons and then arms what has become enabled.
//
//go:norace
func change(edit func()) {
	raceOff()
	defer raceOn()
	hall.mu.Lock()
	defer hall.mu.Unlock()
	edit()
	for r := registry.first; r != nil; r = r.next {
		was, is := r.On(), enabled(r.def.Name)
		switch {
		case !was && is:
			if !r.busy() {
				r.define(r.def)
			}
			r.arm(true)
		case was && !is:
			r.arm(false)
			r.letAllGo()
		}
	}
}

// busy says whether goroutines are in it, from before it was turned off.
//
//go:norace
func (b *Breakpoint) busy() bool {
	for i := range b.sides {
		if b.sides[i].budget.inside > 0 {
			return true
		}
	}
	return b.meetings != nil
}

// Stats gives the statistics of all breakpoints made by New, by name.
//
//go:norace
func Stats() map[string]Stat {
	raceOff()
	defer raceOn()
	hall.mu.Lock()
	defer hall.mu.Unlock()
	sum := map[string]Stat{}
	for r := registry.first; r != nil; r = r.next {
		s := sum[r.def.Name]
		own := r.copied()
		s.add(own)
		s.Held = append(s.Held, own.Held...)
		s.Faults = append(s.Faults, own.Faults...)
		sum[r.def.Name] = s
	}
	return sum
}
