package breakpoints

// Race is a data race: both goroutines are about to access the same memory.
// Put Here(1, &x) right before the access that is to come first, and
// Here(2, &x) before the other one.
func Race(name string, opts ...Option) *Breakpoint { return form(name, sameObject, opts) }

// Contention is goroutines about to take the same lock, or to use the same
// channel: put Here(1, &mu) before the Lock of the one that is to get it, and
// Here(2, &mu) before that of the other one. With Sides(n), more of them.
func Contention(name string, opts ...Option) *Breakpoint { return form(name, sameObject, opts) }

// Atomicity is a violation of atomicity (l1, other, l1'): one goroutine has
// done l1, and before it does l1' another one comes in between. Put Here(1, p)
// between l1 and l1', and Here(2, p) before the other statement, p being the
// object that both work on. Side 2 goes first; put Did(2) after it, and use
// WaitDid, if it takes longer than a moment.
func Atomicity(name string, opts ...Option) *Breakpoint {
	return form(name, sameObject, append([]Option{InOrder(2, 1)}, opts...))
}

// Deadlock is a deadlock of locks: each goroutine holds one that another one
// wants, in a circle. Put Here(i, &held, &wanted) before the Lock of the
// wanted lock. With Sides(n), of n goroutines.
func Deadlock(name string, opts ...Option) *Breakpoint { return form(name, circle, opts) }

// MissedNotify is a notification that comes when nobody waits yet: put
// Here(1, c) before the Signal, Broadcast, send in a select with default, or
// the like, and Here(2, c) in the other goroutine after it has decided to wait
// and before it waits.
func MissedNotify(name string, opts ...Option) *Breakpoint { return form(name, sameObject, opts) }

// Order makes one thing happen before another: who gets to Here(2, p) waits
// until another goroutine has passed Here(1, p), which itself never pauses.
// Without values, one passage is enough for all that come later.
func Order(name string, opts ...Option) *Breakpoint {
	return form(name, nil, append([]Option{oneWay()}, opts...))
}

func form(name string, joint func([][]any) bool, opts []Option) *Breakpoint {
	if joint != nil {
		opts = append([]Option{When(joint)}, opts...)
	}
	return New(name, opts...)
}

// sameObject reports whether all sides have the same first value. Sides without values match
// each other.
func sameObject(values [][]any) bool {
	for _, v := range values[1:] {
		if first(v) != first(values[0]) {
			return false
		}
	}
	return true
}

func first(values []any) any {
	if len(values) == 0 {
		return nil
	}
	return values[0]
}

// circle reports whether, from side 1, following who holds what is wanted, one comes to all
// sides and back. A side gives what it holds, then what it wants.
func circle(values [][]any) bool {
	at := 0
	for steps := 1; ; steps++ {
		if len(values[at]) < 2 {
			panic("a side of a deadlock needs two values: what it holds, and what it wants")
		}
		next := -1
		for i, v := range values {
			if len(v) > 0 && v[0] == values[at][1] && i != at {
				next = i
			}
		}
		if next <= 0 || steps == len(values) {
			return next == 0 && steps == len(values)
		}
		at = next
	}
}
