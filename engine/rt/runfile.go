// Package rt is what Hocket links into users' programs for a controlled run.
//
// overlay/runtime is the half inside package runtime (picker, hooks, race
// detector), overlay/... the halves of sync and sync/atomic. These files are
// embedded here as text, and engine/instrument adds them to the user's build.
// They must not import anything outside the package they live in.
//
// The two halves talk through one file, the run file: Hocket creates it,
// writes the configuration into it and names it in HOCKET_RUN; the program
// maps it shared, so that everything written is there after any kind of end
// (panic, os.Exit, SIGKILL). All numbers are little-endian 64-bit words unless
// said otherwise; offsets are in bytes from the start of the file.
package rt

// Version of the run file layout; both halves are built from this file.
const Version = 1

// EnvRun names the run file. The runtime half removes it from the program's
// environment, so that subprocesses run free.
const EnvRun = "HOCKET_RUN"

// Magic is the first word of a run file ("HOCKETR1" read as little-endian).
const Magic = 0x315254454b434f48

// Words of the run file's header (index * 8 = byte offset). The header takes
// HeaderSize bytes; sections follow, each 4096-aligned.
const (
	WMagic = iota
	WVersion
	WSize // of the whole file in bytes

	// Configuration, written by Hocket before the start.
	WFlags // Flag bits
	WStrategy
	WSeed       // of the picker's random stream
	WInputSeed  // map order, math/rand, pool drops
	WSelectSeed // order in which select looks at its cases
	WClockStep  // virtual ns per switch point, beside its fixed cost
	WVirtualMax // stop after so many virtual ns
	WStepMax    // stop after so many switch points
	WProcs      // what GOMAXPROCS and NumCPU report
	WDepth      // PCT: number of priority change points
	WLength     // PCT: expected number of switch points
	WDrain      // virtual ns to let the program run on after main returned
	WTextStart  // written by the program: runtime.text, base of all relative PCs

	// Sections: offset, capacity in entries, used entries.
	WSegOff // in: schedule segments, SegSize bytes each
	WSegCap
	WSegLen
	WHotOff // in: hot PCs (relative to text), one word each, sorted
	WHotCap
	WHotLen
	WWatchOff // in: 8-byte granule addresses whose plain accesses are recorded, sorted, one word each
	WWatchCap
	WWatchLen
	WEventOff // out: events, EventSize bytes each
	WEventCap
	WEventLen
	WPickOff // out: the schedule that was run, as segments
	WPickCap
	WPickLen
	WStackOff // out: words; a stack is its length n followed by n relative PCs; a StackID is the word index of n, id 0 is the empty stack
	WStackCap
	WStackLen
	WGoOff // out: goroutines, GoSize bytes each, index = gid (entry 0 unused)
	WGoCap
	WGoLen
	WAllocOff // out: allocations, AllocSize bytes each, in order
	WAllocCap
	WAllocLen
	WSharedOff // out: granules that two goroutines touched, one of them writing; one word each
	WSharedCap
	WSharedLen
	WRaceOff // out: races, RaceSize bytes each
	WRaceCap
	WRaceLen
	WTextOff // out: bytes of messages (panic text)
	WTextCap
	WTextLen
	WBlockedOff // out: goroutines blocked at the end, BlockedSize bytes each
	WBlockedCap
	WBlockedLen
	WPairOff // out: reads-from pairs, PairSize bytes each: a hash table whose capacity is a power of two
	WPairCap
	WPairLen
	WChoiceOff // in: choices of selects, ChoiceSize bytes each, sorted by key and count
	WChoiceCap
	WChoiceLen
	WOrderOff // in: orders that StrategyOrders keeps, OrderSize bytes each, sorted by key and count
	WOrderCap
	WOrderLen
	WCollectOff // in and out: where the collector runs, CollectSize bytes each
	WCollectCap
	WCollectLen
	WHoldOff // in: where goroutines are held, HoldSize bytes each, sorted by address
	WHoldCap
	WHoldLen
	WBufferOff // in: return addresses (relative PCs) of hooks before stores that may wait in a buffer, one word each: the store's size in bytes is in the highest byte
	WBufferCap
	WBufferLen
	WBranchOff // out: outcomes of branches, BranchSize bytes each; without room none is told
	WBranchCap
	WBranchLen
	WCollectStep1 // in: the collector runs before the switch point of that number; 0 never
	WCollectStep2

	// Results, written by the program.
	WStatus  // Status* ; 0 while running
	WSteps   // switch points passed
	WHash    // FNV-1a over (goroutine key, op, relative pc) of every synchronisation event
	WVTime   // virtual ns passed
	WExit    // exit code of os.Exit
	WFailGID // goroutine of the first failure
	WFailStack
	WExternal // external events
	WDropped  // > 0: events did not fit
	WDiverged // schedule segments whose goroutine could not run
	WStarved  // forced switches away from spinning goroutines
	WLastPC   // relative pc of the last switch point (for hangs)
	WLastGID
	WJumps     // times virtual time jumped
	WRunaway   // 1: the run is out of control (a goroutine ran on another thread)
	WFailCount // calls of testing.(*common).Fail
	WExtWhat   // first external event: Ext..., 0 if none
	WExtGID
	WExtStack
	WInputs     // iterators over maps of several elements: their order is an input
	WDelayMax   // in: virtual ns that may pass while somebody could run
	WDelayed    // virtual ns that passed while somebody could run
	WSoonest    // least virtual ns for which a timer or sleep was set, 0 if none was
	WMemStats   // 1: the program counts allocations
	WTimedOut   // 1: it failed at a time-out of its own, whose timer fired while somebody could run
	WOrdersLost // times that nobody could run whom the orders let
	WClockRead  // 1: the program, not only package testing, has read the clock
	WPauseG     // in: key of the goroutine that is to stand still, with the whole program; 0: none
	WPauseAt    // in: when it has passed so many switch points, before the next one
	WPaused     // 1: the program stands still there until it is killed
	WMemory     // in: a memory model, Memory*
	WBufferSeed // in: decides how long stores wait; 0: as long as they may
	WBuffered   // stores that waited
	WParallel   // calls of testing.(*T).Parallel
	WChoices    // times that not only the order of goroutines was a choice: several cases of a select were ready, a timer was set, a Pool of the program may have dropped something
	WRandom     // 1: random bytes were asked of the operating system, and drawn from the input instead
	WAwaits     // 1: after packages were initialised a finalizer, a cleanup or a weak pointer was made
	WEnd
)

// HeaderSize is the size of the header in bytes.
const HeaderSize = 4096

// Flag bits of WFlags.
const (
	FlagControl   = 1 << iota // control the schedule at all
	FlagEvents                // record synchronisation events
	FlagStacks                // with call stacks
	FlagRace                  // run the race detector
	FlagPlain                 // record plain accesses to the watched granules (all granules if the watch section is empty)
	FlagAllocs                // record allocations
	FlagPairs                 // note reads-from pairs
	FlagSymbolize             // don't run: answer the symbol requests in the watch section, see symbols.go
	FlagCollect               // the program could tell when the collector runs: the schedule decides
	FlagStands                // list all goroutines at the end in the section of the blocked, also of a run that panics
)

// Strategies of WStrategy: who decides after the last of the segments.
const (
	StrategyReplay = iota // the default (stay; else first created)
	StrategyRandom        // uniform choice at each switch point
	StrategyPOS           // partial order sampling
	StrategyPCT
	StrategyOrders // as StrategyReplay, but keeps the orders
)

// Memory models of WMemory.
const (
	MemorySC  = iota
	MemoryTSO // stores wait in a buffer of their goroutine, in order
	MemoryPSO // in order for each address
)

// Values of WStatus.
const (
	StatusRunning = iota
	StatusMainReturned
	StatusExit     // os.Exit
	StatusDeadlock // nothing runnable, no timer
	StatusVirtualMax
	StatusStepMax
	StatusPanic
	StatusFatal
	StatusLivelock // all runnable goroutines go round in loops, and nothing can change what they wait for
	StatusMemMax   // the heap outgrew the limit of a run
	StatusServes   // nothing runnable, no timer, but another process could call a listener or answer
)

// Values of WExtWhat.
const (
	ExtSubprocess = 1 + iota // one was started
	ExtSyscall               // a system call waited for something outside
	ExtSignal                // one was received
	ExtLoop                  // a goroutine was preempted in a loop without switch points
)

// SegSize: key uint64, until uint32, flags uint32. The low byte of the flags of a
// segment that was run says why it ended: 0 preempted, 1 blocked, 2 ended, 3 yielded.
const SegSize = 16

// SegAwait is a flag of a segment: virtual time passes until its goroutine can
// run, or passed before it ran.
const SegAwait = 1 << 16

// SegTimer is a flag of a segment: the clock passes until the timer fires that the
// key names. In one that was run, until is how many microseconds passed.
const SegTimer = 1 << 17

// ChoiceSize: key uint64, count uint32, case uint32.
const ChoiceSize = 16

// OrderSize: key uint64, count uint32, after count uint32, after key uint64: the goroutine
// of key does not pass its switch point number count, from 1, before that of the after
// key has passed so many.
const OrderSize = 24

// CollectSize: key uint64, count uint32, uint32 1 if it has run there.
const CollectSize = 16

// BranchSize: gid uint32, outcome uint32 (as in a log of paths: twice the branch's number
// and 1 if it was true), switch points that the goroutine had passed uint32.
const BranchSize = 12

// EventSize. Layout: gid uint32, op uint8, flags uint8, aux16 uint16 (unused); obj uint64;
// stack uint32, count uint32; value uint64; aux uint64; vtime int64 (since start).
// EventHasValue is set in flags where value is meaningful.
const EventSize = 48

// EventHasValue and EventStored are bits of an event's flags.
const (
	EventHasValue = 1
	EventStored   = 2 // the value of a write is the one that it left
)

// GoSize: key uint64; parent uint32, index uint32; entry (relative pc) uint64; stack uint32, ended uint32;
// timer uint32, pad uint32. A goroutine that a timer's function started has as
// parent the one that made the timer, as timer the number of the timer among those
// that the parent made, and as index 1<<31 + the number of the start.
const GoSize = 40

// AllocSize: addr, size, type descriptor address (0 unknown) uint64; stack uint32, gid uint32; event index at the time uint64.
const AllocSize = 40

// RaceSize: obj uint64; gid1 uint32, gid2 uint32; pc1 uint64 (relative); pc2 uint64; stack2 uint32, flags uint32 (bit 0 first writes, bit 1 second writes); event index at the time uint64.
const RaceSize = 48

// BlockedSize: gid uint32, op uint8, leaked uint8, reason uint16; obj uint64; stack uint32, holder gid uint32 (of the lock it waits for, 0 unknown).
const BlockedSize = 24

// ReasonLoops is in the place of leaked and reason of a goroutine that goes round in
// a loop, at the end of a run with StatusLivelock.
const ReasonLoops = 0xffff << 8

// ReasonRunnable is in the place of leaked and reason of a goroutine that could go
// on, with FlagStands.
const ReasonRunnable = 0xfffe << 8

// HoldSize: return address (relative pc) uint64; group uint32, how many of the group
// are held at a time uint32; how many arrivals at the group pass first uint32, in how
// many of 256 cases one that arrives after that is held uint32, with HoldLast.
const HoldSize = 24

// HoldLast is set if those of the group go on last when all who can run are held.
const HoldLast = 1 << 31

// HoldGroups bounds the groups of a run, whose numbers begin at 0.
const HoldGroups = 64

// PairSize: id<<PairCountBits | times seen (0: no entry, at most all ones) uint64; segments begun when it was seen first,
// that one included, uint32; switch points that the reading goroutine had passed then, uint32.
const PairSize = 16

// PairCountBits of a pair's first word count how often it was seen.
const PairCountBits = 16
