package rt

// A recording build writes the order of a run's synchronisation into a log, and
// follows such a log. This file is the layout of both files: what the program
// writes (the log), and what it is given to follow (the plan). record/ is the half
// inside the program; it gets these constants by the overlay generator.
//
// A goroutine's operations are numbered from 0. An operation leaves a record only
// where the last operation on its object was another goroutine's: "before my
// operation n, that goroutine had finished its operation m". Where the outcome is
// not decided by that order (a lock that was tried in vain, the case of a select
// that had slept), it leaves a second record with the outcome. So a log holds no
// addresses, and a goroutine that keeps to itself leaves nothing.
//
// All numbers are little-endian. The log is mapped shared: everything is there
// after any kind of end. A record's first word is written last and is never 0; the
// number of a goroutine's operations is kept in its first chunk, after each.

// EnvRecord names the folder that a recording build writes its log to, EnvFollow the
// plan that it follows. The program removes both from its environment.
const (
	EnvRecord = "HOCKET_RECORD"
	EnvFollow = "HOCKET_FOLLOW"
)

const (
	LogMagic   = 0x31474f4c544b4f48 // "HOKTLOG1"
	PlanMagic  = 0x314e4c50544b4f48 // "HOKTPLN1"
	RecVersion = 3

	LogHeader = 4096    // bytes before the first chunk
	LogSize   = 1 << 32 // bytes of a log at most; it is sparse
)

// Words of a log's header (index * 8 = byte offset).
const (
	LMagic = iota
	LVersion
	LNext  // offset of the first byte that belongs to no chunk
	LSeed  // of random numbers, map order, select's draws
	LFlags // Log... bits
	LText  // address of runtime.text, to which functions are relative
	LPid
	LBegan // Unix time in ns, from which readings of the clock count
	LEnded // the same, 0 if the program did not reach an exit
	LExit  // exit code
	LProcs // GOMAXPROCS
	LCode  // digest of the program's functions and where they are
	LArgs  // number of arguments, the program's own name among them
)

const (
	LogEnded = 1 << iota // the program left by an exit
	LogFull              // there was no room for all records
)

// Texts in a log's header: byte offset and room, ended by a 0.
const (
	LogGo      = 512 // runtime version
	LogGoMax   = 64
	LogPath    = 640 // path of the main package, of a test binary with .test
	LogPathMax = 320
	LogArgs    = 1024 // arguments, each ended by a 0
	LogArgsMax = 3072
)

// Chunks hold a goroutine's records, in the order of the file. Byte offsets; 32-bit
// words unless said otherwise.
const (
	ChunkUnit = 64 // chunks begin and end at multiples of it
	ChunkSize = 0  // bytes, all; with bit 0 set in a goroutine's first chunk
	ChunkID   = 4
	ChunkHead = 8 // bytes before the records

	// Of a first chunk.
	ChunkParent = 8  // id of the goroutine that started it, 0: none
	ChunkFired  = 12 // if a timer started it: the how-manieth time the timer fired, from 1
	ChunkNth    = 16 // 64 bits: it is the parent's nth child; with TimerBit, of its nth timer
	ChunkOps    = 24 // 64 bits: operations that it did
	ChunkFunc   = 32 // function that it began in, relative to runtime.text
	ChunkCut    = 36 // 1 + number of the operation from which records are missing, or 0
	FirstHead   = 40

	// A record's first word: kind, form, and what the form has there, from the low bits
	// up. The distance is in operations, from the goroutine's last record. Most records
	// are small: a new page of the log costs more than all else.
	KindBits = 5
	FormBits = 2
	RestAt   = KindBits + FormBits
	RestBits = 32 - RestAt

	FormFull    = 0 // distance; two words follow: goroutine id, operation there
	FormHalf    = 1 // distance in HalfBits, id; a word follows: operation there
	FormOutcome = 2 // distance in OutcomeBits, outcome
	FormSame    = 3 // distance in SameBits; the order is with an operation of the goroutine that the last order was with, so many behind that one

	HalfBits    = 10
	OutcomeBits = 7
	SameBits    = 9

	// MaxDistance is the largest number of operations between two records.
	MaxDistance = 1<<RestBits - 1

	TimerBit = 1 << 40
	MainID   = 1

	// An outcome has goroutine id 0, and stands where an order has the other one's
	// operation. It is the case of a select, or says that this call ran a Once, or that an
	// operation was tried in vain: then FailBit is set, the record has two or three words,
	// and the bits below FailBit count the vain tries of the same kind that followed directly.
	FailBit = 1 << 31

	// A reading of the clock has as its outcome how many ns have passed since the
	// goroutine's last one, the first of all being the program's start. Where that
	// needs more than ClockBits, a record with ClockHigh and the bits above comes before.
	ClockBits = 30
	ClockHigh = 1 << ClockBits
)

// Kinds of operations.
const (
	KindNone = iota
	KindLock
	KindRLock
	KindSend
	KindRecv
	KindClose
	KindSelect
	KindLen
	KindAtomic
	KindOnce
	KindGroup // WaitGroup
	KindCond
	KindMap   // sync.Map
	KindPool  // sync.Pool
	KindValue // atomic.Value
	KindTimer // Stop and Reset
	KindExit
	KindFile       // locks of a file or connection
	KindClock      // a reading; its outcome: see ClockHigh
	KindWoke       // a WaitGroup's Wait goes on
	KindSkip  = 31 // no operation: MaxDistance operations without a record
)

// Words of a plan's header. Sections follow.
const (
	PMagic = iota
	PVersion
	PSeed
	PThreads   // number of goroutines
	PActive    // those of them that did an operation
	PThreadOff // PlanThread bytes each, sorted by (parent, nth, fired)
	PDoneOff   // a 64-bit count for each: operations done
	PRecordOff // PlanRecord bytes each
	PSize      // of the file
	PPatience  // ns in which something must move
	PCode      // as LCode; 0: any
	PBegan     // Unix time in ns at which the recorded run began
	PPlaceOff  // PlaceSize bytes for each operation, goroutine by goroutine; 0: not wanted

	// Out.
	PStatus  // Followed...
	PWho     // goroutine, from 1; 0: one that was not in the log
	PAt      // number of its operation
	PWant    // kind that the log has there
	PHave    // kind that the program came with
	PFrom    // goroutine that it waits for, from 1
	PFromOp  // operation there
	PText    // address of runtime.text
	PStack   // StackMax program counters, relative to text
	StackMax = 32

	PlanHeader = 4096
	// A place: words: kind | 1 + case of a select << 8, program counters relative to runtime.text, ended by a 0.
	PlaceSize  = 64
	PlanThread = 32 // words: parent from 1, fired, nth (64 bits), operations, index of first record, records, operations of the goroutines before it
	PlanRecord = 16 // words: operation, kind, goroutine from 1 or 0, operation there or value
)

// Status of a followed run.
const (
	FollowNone = iota
	FollowBegun
	FollowEnd   // all goroutines did what the log has
	FollowOver  // nothing moved any more, and no goroutine waits for another: the log's end, or the time before it
	FollowKind  // an operation is of another kind than in the log
	FollowStuck // a goroutine waits for another's operation that does not come
	FollowOther // the program is another one
)
