package breakpoints

import (
	"fmt"
	"time"
)

// New makes a concurrent breakpoint for calls of [Breakpoint.Here] in code or
// tests. Make it once, as a package variable or before the goroutines start.
// The name is for enabling it, [Stats] and messages.
//
// Without options it has two sides, and is hit whenever different goroutines
// are at both. New panics if the options contradict each other.
func New(name string, opts ...Option) *Breakpoint {
	s := &settings{def: Definition{Name: name, Sides: 2}}
	for _, o := range opts {
		o(s)
	}
	s.fillTimeouts()
	if err := s.def.check(); err != nil {
		panic(fmt.Sprintf("breakpoints.New(%q): %v", name, err))
	}
	b := &Breakpoint{when: s.when}
	b.gates = &b.own
	b.define(s.def)
	register(b)
	return b
}

// Option is a property of a breakpoint made by New.
type Option func(*settings)

type settings struct {
	def   Definition
	when  func(values [][]any) bool
	all   time.Duration // time-out of all sides
	sides map[int]time.Duration
}

// Sides is the number of places that must be reached at once, from 2 to
// MaxSides; 2 if not given.
func Sides(n int) Option { return func(s *settings) { s.def.Sides = n } }

// InOrder is the order in which the goroutines go on once all are there; if
// not given, that of the sides' numbers.
func InOrder(sides ...int) Option { return func(s *settings) { s.def.Order = sides } }

// Timeout is how long a goroutine pauses at most for the others: 0 for not at
// all; DefaultTimeout if not given.
func Timeout(d time.Duration) Option {
	return func(s *settings) { s.all = orNone(d) }
}

// SideTimeout is Timeout for one side.
func SideTimeout(side int, d time.Duration) Option {
	return func(s *settings) {
		if s.sides == nil {
			s.sides = map[int]time.Duration{}
		}
		s.sides[side] = orNone(d)
	}
}

func orNone(d time.Duration) time.Duration {
	if d <= 0 {
		return -1
	}
	return d
}

func (s *settings) fillTimeouts() {
	for side := 1; side <= min(s.def.Sides, MaxSides); side++ {
		d := s.all
		if own, ok := s.sides[side]; ok {
			d = own
		}
		s.def.Timeouts = append(s.def.Timeouts, d)
	}
}

// IgnoreFirst lets the first k meetings pass: the goroutines go on at once.
func IgnoreFirst(k int) Option { return func(s *settings) { s.def.IgnoreFirst = k } }

// AtMost is the number of hits after which nobody is paused any more.
func AtMost(k int) Option { return func(s *settings) { s.def.AtMost = k } }

// When is the joint predicate. values[side-1] is what that side's call of Here
// was given. It runs in the goroutine that came last, may run several times,
// and must not wait for anything. Numbers, strings and bools are as they were
// when Here was called.
func When(joint func(values [][]any) bool) Option {
	return func(s *settings) { s.when = joint }
}

// WaitDid reports whether each side calls Did after its statement, so that the next
// side waits for that, up to the time-out, instead of 2 ms.
func WaitDid() Option {
	return func(s *settings) {
		s.def.Dids = nil
		for range min(max(s.def.Sides, 2), MaxSides) {
			s.def.Dids = append(s.def.Dids, true)
		}
	}
}

// oneWay is what Order is made of.
func oneWay() Option { return func(s *settings) { s.def.OneWay = true } }

// On reports whether the breakpoint is enabled: for values that take work to find.
//
//go:norace
func (b *Breakpoint) On() bool { return b.own[isSet].isOpen() }

// Here goes right before the statement of a side (from 1). The goroutine
// pauses until others are at all other sides and the joint predicate holds
// over the values; then they go on in order. The result says whether that
// happened.
//
// While the breakpoint is off this is a load and a branch, and costs no more
// if the values are pointers to what is on the heap anyway.
//
//go:norace
func (b *Breakpoint) Here(side int, values ...any) bool {
	return b.own[side&15].isOpen() && b.reach(side, true, values)
}

// HereIf is Here with a local predicate: the visit counts only if it holds.
//
//go:norace
func (b *Breakpoint) HereIf(side int, local bool, values ...any) bool {
	return b.own[side&15].isOpen() && b.reach(side, local, values)
}

// Did may go after the statement of a side: the next one in the order goes on
// at once. Without it, it goes on as soon as this goroutine is blocked or has
// ended, and after 2 ms in any case.
//
//go:norace
func (b *Breakpoint) Did(side int) {
	if b.own[didAwaited].isOpen() {
		b.didNext(side)
	}
}

//go:norace
func (b *Breakpoint) reach(side int, local bool, values []any) bool {
	if side < 1 || side > b.def.Sides {
		panic(fmt.Sprintf("breakpoint %q: side %d, it has sides 1 to %d", b.def.Name, side, b.def.Sides))
	}
	n := b.sides[side].visits.add()
	if !local {
		b.sides[side].refused.add()
	}
	b.reportVisit(side, n)
	return local && b.visited(side, capture(values), "")
}

// Stat is what has happened since it was last enabled.
//
//go:norace
func (b *Breakpoint) Stat() Stat {
	raceOff()
	defer raceOn()
	waiters.mu.Lock()
	defer waiters.mu.Unlock()
	return b.copied()
}
