package trace

// Op is the kind of an event. The numbers are part of the run file and trace
// formats: append, never renumber. engine/rt's runtime half holds the same
// table; a test keeps the two equal.
type Op uint8

const (
	OpNone Op = iota

	// Goroutines.
	OpSpawn   // go statement ran; Aux = child GID. The event belongs to the parent.
	OpStart   // first step of a goroutine
	OpEnd     // goroutine returned or called Goexit
	OpGosched // runtime.Gosched
	OpBlock   // goroutine parked; Aux = the pending Op, Obj = what it waits on, Value = runtime wait reason; | capacity<<32 if it is OpSend or OpRecv
	OpUnblock // goroutine made runnable by G; Aux = GID of the woken goroutine

	// sync. Recorded on completion: a Lock event means "acquired".
	OpLock      // Mutex.Lock or RWMutex.Lock
	OpUnlock    // Mutex.Unlock or RWMutex.Unlock
	OpTryLock   // Value = 1 if acquired
	OpRLock     // RWMutex.RLock
	OpRUnlock   // RWMutex.RUnlock
	OpTryRLock  // Value = 1 if acquired
	OpWGAdd     // WaitGroup.Add with delta > 0; Value = delta
	OpWGDone    // WaitGroup.Add with delta < 0 (Done); Value = delta as int64
	OpWGWait    // WaitGroup.Wait returned
	OpCondWait  // Cond.Wait entered (ticket taken; the Unlock event of L follows)
	OpCondWake  // Cond.Wait was woken (the Lock event of L follows)
	OpSignal    // Cond.Signal
	OpBroadcast // Cond.Broadcast
	OpOnceDo    // Once.Do returned; Value = 1 if this call ran f
	OpMapRead   // sync.Map Load, Range
	OpMapWrite  // sync.Map Store, LoadOrStore, Delete, ...
	OpPoolGet   // Pool.Get
	OpPoolPut   // Pool.Put

	// Channels. Recorded on completion. Value = 1 if the operation took place
	// (non-blocking forms may give up with 0); Aux = len | cap<<32 afterwards,
	// with AuxTry of a send or receive that would not have waited.
	OpSend
	OpRecv // Value = 1 got a value, 2 closed and empty, 0 nothing ready
	OpClose
	OpSelect // a select chose: Obj = chosen channel (0 for default), Value = case index in source order as the compiler numbers it (-1 default), Aux = number of cases | send<<32 | has a default<<33 | ready cases<<40

	// sync/atomic. Value = the value read or stored. Of an atomic.Value, whose
	// methods are events as well, it says only whether two values are the same:
	// 0 is nil, anything else is the address of the data, or of the type of a nil
	// pointer. Equal data at two addresses are different values. As
	// CompareAndSwap compares by ==, no OpAtomicOld goes with it.
	OpAtomicLoad
	OpAtomicStore
	OpAtomicRMW // Add, And, Or, Swap: Value = new value, Aux = the old one
	OpAtomicCAS // Value = 1 if swapped, Aux = the new value then; else Aux = what was found instead of the OpAtomicOld before it, if there is one

	// Plain memory accesses through the compiler's race hooks (before the access).
	OpRead       // Value = up to 8 bytes found at Obj before the access, Aux = size in bytes (1 if unknown scalar)
	OpWrite      // Value = bytes before the write; see Event.Value
	OpReadRange  // Aux = size in bytes
	OpWriteRange // Aux = size in bytes

	// Time and outside world.
	OpSleep   // time.Sleep entered; Value = duration ns
	OpTimer   // a timer was made or, with a Value, set again; Aux = its number among those that its maker made (0: not known), of one that is set again | 1<<32 if it was still to fire, Value = the maker's GID
	OpSyscall // a blocking system call whose completion was taken as an external event

	// Failures.
	OpTestFail   // testing.(*common).Fail was called
	OpPanic      // a panic that nobody recovered, as it is about to end the program
	OpFatal      // runtime throw / fatal error
	OpExit       // os.Exit; Value = code
	OpPanicStart // a panic began (may still be recovered); Aux = the operation that the goroutine began last, 0 if none, Value = the address of its object

	// When the run ends: a goroutine is about to perform operation Aux on Obj
	// and could have gone on; Aux has capacity<<32 too if that is OpSend or
	// OpRecv. Decoding moves these into Trace.Pending, Aux without the
	// operation.
	OpPending

	// Once.Do looked whether f has been run: Value = 1 if so, Obj = the Once. A
	// call does so first, and if it was 0, again when it has the Once's own
	// mutex (an OpLock on its field m); if it was 0 again, f begins. After f the
	// call stores 1 (OpAtomicStore on the Once), unlocks m, and OpOnceDo follows.
	OpOnceLoad

	// A case of a select, before the select waits: Obj = channel (0 for nil),
	// Value = index, Aux = 1 for a send | capacity<<32. All cases of a select stand
	// together and have its Count; the OpSelect follows when it has chosen.
	OpSelectCase
	OpChanLen   // len(ch); Value = the length
	OpAtomicOld // Value = what the OpAtomicCAS that follows expects to find

	// The collector ran, by runtime.GC or as the schedule says (Schedule.Collections).
	OpCollect

	// Connections between goroutines of the program, and its listeners and sockets
	// for datagrams. Value = the number of bytes, 1 of an accept, 0 of the others;
	// negative if the call fails.
	OpNetDial     // Obj = the listener
	OpNetAccept   // Obj = the listener
	OpNetRead     // Obj = one direction of the connection, or what was sent to the socket
	OpNetWrite    // Obj = as of the OpNetRead that gets it
	OpNetClose    // Obj = as of an OpNetRead or an OpNetAccept; CloseWrite: as of an OpNetWrite
	OpNetDeadline // a deadline is set; Obj = as of an OpNetRead or an OpNetAccept

	// Recorded when the run ends: G could run while the clock passed, by Value ns,
	// to a timer. Aux = who made the timer<<32 | its number among those that its
	// maker made, or the sleeping goroutine<<32. Decoding moves these into
	// Trace.Delays.
	OpDelay

	OpTimerStop // a timer was stopped; Aux = its number among those that its maker made | 1<<32 if it was still to fire, Value = the maker's GID

	NumOps
)
