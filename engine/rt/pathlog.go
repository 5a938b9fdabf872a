package rt

// The log of a path recording, in which the program and Hocket meet: a file that
// Hocket makes and the program maps. It is valid at any moment, so that a killed
// program leaves all that it recorded.
//
// A head, then chunks, each of one goroutine. A record is the outcome of a branch:
// 16 bits, twice the branch's number, which is 1 or more, and 1 if the condition was
// true. Loops have the even numbers from the highest down: such a record begins one, and
// a word of 8 bytes follows, with the outcomes of its branches, a bit each, after a one.
// If the highest bit is set, another word follows, in the next chunk if this one has none
// there. Zero is where a chunk's records end so far. All numbers are in the machine's
// byte order.
const (
	PathMagic   = 0x316c746170746b68 // "hktpatl1"
	PathVersion = 4

	// Words of 8 bytes in the head.
	PathWMagic   = 0
	PathWVersion = 1
	PathWSize    = 2 // of the file; the program records nothing beyond
	PathWPid     = 3 // the process that records: the first that maps the file
	PathWEnded   = 4 // 1 + exit code, once the program ended by its own will
	PathWFull    = 5 // 1: records were lost since the file was full
	PathWSeed    = 6 // of random numbers and the order of maps
	PathWUsed    = 8 // bytes given to chunks, the head included; a cache line of its own
	PathHead     = 256

	// A chunk: one word with PathChunk and its size in bytes, which is written last;
	// goroutine; number of the chunk in its goroutine, from 0, and number of the
	// goroutine among the children of its parent, from 1, 4 bytes each; parent; address
	// of the function that it began in, from the start of the text; records. Where a timer
	// started the goroutine, the parent is who made the timer, the number is that of the
	// firing, and in the last word before the records is the timer's number among those of
	// the parent, from 1; else 0.
	PathChunk      = 0x70617468 // in the upper half
	PathChunkHead  = 48
	PathChunkUnit  = 256 // chunks begin at multiples of it, but those in the rest of another
	PathChunkMax   = 64 << 10
	PathSlack      = 64 // bytes: how much is written at most between two checks
	PathSlackCount = PathSlack / 2

	PathLoopBits = 62      // in a word
	PathLoopMore = 1 << 63 // another word follows

	// MaxBranches is how many branches and loops of a program can be numbered.
	MaxBranches = 1<<15 - 1
)
