package constraint

// EventID indexes System.Events.
type EventID int32

// NoEvent is no event: the Prev of a thread's first.
const NoEvent EventID = -1

// ObjID indexes System.Objects; 0 is no object.
type ObjID int32

// ThreadID indexes System.Threads.
type ThreadID int32

// Op is what an event does.
type Op uint8

const (
	Nop       Op = iota // no effect on others: something to hang conditions on
	Read                // of a location; Sym(e) is its value
	Write               // a location becomes Val
	RMW                 // Sym(e) is the value found, then the location becomes Val; at once
	Lock                // Mutex or RWMutex: nobody holds it
	Unlock              //
	RLock               // RWMutex: no writer holds it
	RUnlock             //
	TryLock             // Outcome 1: as Lock; 0: somebody holds it
	TryRLock            // Outcome 1: as RLock; 0: a writer holds it
	Add                 // WaitGroup: the counter changes by Delta and stays >= 0
	Wait                // WaitGroup: the counter is 0
	CondWait            // Cond: takes the next ticket
	CondWake            // Cond: the ticket of Partner (the CondWait) has been called
	Signal              // Cond: calls the oldest waiting ticket, if any
	Broadcast           // Cond: calls all waiting tickets
	Send                // channel: there is room, or (capacity 0) a receive follows at once; Val is what is sent
	Recv                // channel: Outcome 1: Sym(e) is the oldest value; 2: closed and empty
	Close               // channel: not closed before
	Default             // select or non-blocking operation that gave up: none of Cases can go on without a partner that waits
	Spawn               // starts thread Child
	Start               // first of a thread: after its Spawn
	End                 // last of a thread
)

// Outcomes of Recv.
const (
	Received = 1
	Closed   = 2
)

// Event is one operation of one thread.
type Event struct {
	Thread  ThreadID
	Prev    EventID // the event before in the same thread; NoEvent for its first
	Op      Op
	Obj     ObjID
	Val     *Term    // Write, RMW, Send: what is written; nil: a value that only this event makes
	Cond    []*Term  // Φ_path: hold once the event has happened; over symbols of the thread up to and with e
	Outcome int      // TryLock, TryRLock, Recv
	Delta   int64    // Add
	Partner EventID  // CondWake: its CondWait. NoEvent otherwise
	Child   ThreadID // Spawn: the thread that it starts; -1 otherwise
	Cases   []Case   // Default: what was not possible. A select that chose is Send or Recv
	// At is the event's position in the recorded order, from which phases and
	// repairs start; events of several runs may share one. -1: never seen.
	At int
	// Pending: a thread was seen standing before the operation, never after it.
	// It has no Cond; what follows it is not known.
	Pending bool
	Origin  Origin
}

// Case is one case of a select.
type Case struct {
	Obj  ObjID
	Send bool
}

// Origin is where an event comes from, for printing and planning. Its meaning
// is the maker's of the System.
type Origin struct {
	Trace int // which run
	Seq   int // index in its events; -1: none
}

// Kind of an object.
type Kind uint8

const (
	Location  Kind = iota // memory: plain or atomic
	Mutex                 // or RWMutex
	WaitGroup             //
	Cond                  //
	Channel               //
)

// Object is what events share.
type Object struct {
	Kind  Kind
	Name  string // for people
	Cap   int    // Channel
	Nil   bool   // Channel: blocks for ever
	Init  Value  // Location: before the first write
	Width int    // Location: of the element in bits, for symbolic values; 0 = 64
}

// Thread is one goroutine.
type Thread struct {
	Name string // schedule-independent
	// Open: what the thread does after the last of its events is not known: it
	// is not stuck there.
	Open bool
}

// System is Φ without the goal. It does not change once a solver has it.
type System struct {
	Events  []Event
	Objects []Object // [0] is none
	Threads []Thread
}
