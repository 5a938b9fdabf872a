package analysis

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// op is what an event does.
type op uint8

const (
	opNone op = iota
	opRead
	opWrite
	opLoad  // atomic
	opStore // atomic
	opSwap  // atomic read and write: Add, CompareAndSwap, Swap
	opLock
	opRLock
	opTryLock
	opUnlock
	opWait // sync.Cond
	opSignal
	opBroadcast
	opSend
	opReceive
	opClose
	opDone    // sync.WaitGroup, or the end of a goroutine that a group waits for
	opAdd     // sync.WaitGroup
	opWaitAll // sync.WaitGroup, errgroup.Group
	opCall    // of a function value that the caller gives
)

var opNames = [...]string{"", "read", "write", "atomic load", "atomic store", "atomic update", "lock", "rlock", "trylock",
	"unlock", "wait", "signal", "broadcast", "send", "receive", "close", "done", "add", "wait", "call"}

func (o op) String() string { return opNames[o] }

func (o op) access() bool { return o >= opRead && o <= opSwap }
func (o op) atomic() bool { return o >= opLoad && o <= opSwap }
func (o op) writes() bool { return o == opWrite || o == opStore || o == opSwap }

// lockMode of a held lock.
type lockMode uint8

const (
	forReading lockMode = iota
	forWriting
)

// held is a lock that is certainly held, and where it was taken.
type held struct {
	lock *path
	mode lockMode
	at   *chain
	done bool // a sync.Once that has run; goroutines started from then on come after it too
	once bool // a sync.Once: runs now, or, if done, ran when this goroutine was started in it
	gone bool // not held: the caller may have taken it, and it was given back
}

// lasting are those of the locks that goroutines which are started have too.
func lasting(locks []held) []held {
	var out []held
	for _, h := range locks {
		if h.done || h.once {
			out = append(out, held{h.lock, forReading, h.at, true, h.once, false})
		}
	}
	return out
}

// event is an operation that a function, or what it calls or starts, does.
// Immutable.
type event struct {
	op    op
	path  *path // what is accessed, locked, sent on
	chain *chain
	fn    *ssa.Function // that holds the operation
	locks []held
	value value
	fresh bool             // a write of what is certainly not nil
	own   bool             // an access to an object that nobody else knows yet
	given int              // the value written is parameter given-1, to be known in the caller
	args  [][]*path        // of opCall
	to    []*path          // a write of a reference: to what, nil if that is not known
	sel   *ssa.Select      // if it is a case of one
	state *ssa.SelectState // that case
	block bool             // a channel operation that may wait
}

// chosen reports whether the event is executed only if a select takes its case.
func (e *event) chosen() bool { return e.sel != nil && (len(e.sel.States) > 1 || !e.sel.Blocking) }

// value is what is known of a written value.
type value uint8

const (
	anyValue   value = iota
	nilValue         // nil, or a constant false or 0
	trueValue        // a constant but nil, false, 0
	grownValue       // append to what was there
	derived          // made from what was there: x++, x += d
)

// summary is what a function does, in its own terms: paths begin with its
// parameters, captured variables, package variables, and what it makes.
type summary struct {
	fn       *ssa.Function
	events   []*event
	returns  [][]*path // by result
	acquired []held    // locks held at the end that were not at the start
	released []held    // locks of the caller that are given back at the end
}

// holding are the locks that an operation holds, of those in its state.
func holding(locks []held) []held {
	if !slices.ContainsFunc(locks, func(h held) bool { return h.gone }) {
		return locks
	}
	return slices.DeleteFunc(slices.Clone(locks), func(h held) bool { return h.gone })
}

// maxEvents of a summary. What lies deepest is left out.
const maxEvents = 400
