package trace

// Segment lets one goroutine run. It ends when the goroutine is at a switch
// point and has passed Until switch points since its start (it is stopped
// before performing operation number Until+1), or blocks, or exits, whichever
// comes first. A goroutine that was woken or has just been started is not at a
// switch point: a segment with its current count takes it to the next one.
type Segment struct {
	G     uint64 // Goroutine.Key
	Until uint32 // Event.Count positions; MaxUint32 = until it blocks or exits
	// Await lets virtual time pass for the goroutine: while it can't run, or
	// has been blocked before it reached Until, the clock jumps from timer to
	// timer. Without it time passes only when no goroutine can run, or by
	// ClockStep. The segment is given up when no timer is left.
	Await bool
	// Timer lets the clock pass until the timer fires whose name is G, although
	// somebody can run. Until is by how many microseconds that was, where it is
	// known.
	Timer bool `json:",omitempty"`
}

// Choice decides a select with several ready cases: that of goroutine G at
// position Count takes Case, as OpSelect.Value numbers it, if that is ready.
// Otherwise, and at all other selects, SelectSeed decides.
type Choice struct {
	G     uint64 // Goroutine.Key
	Count uint32 // Event.Count of the OpSelect
	Case  int
}

// Schedule decides one run completely, together with the binary and its input.
// A segment whose goroutine cannot run is skipped. After the last segment the
// strategy of the run decides (run.Spec), which by default is: stay on the
// running goroutine; when it blocks or ends, take the runnable goroutine created
// first. So an empty Schedule is the run without preemption.
type Schedule struct {
	Segments   []Segment
	Choices    []Choice // at most one for each G and Count
	SelectSeed uint64   // which ready case a select takes
	InputSeed  uint64   // map iteration order, math/rand, pool drops
	ClockStep  int64    // virtual ns that pass at each switch point, beside its fixed cost
	Delay      int64    // virtual ns, at most, that pass while some goroutine can run, by Await and Timer
	Steps      int      // switch points after which the run is cut off; 0: the limit that all runs have
	Procs      int      // what runtime.GOMAXPROCS and NumCPU report
	// Hot are the plain accesses that are switch points too (racing locations),
	// each a site.Site as text, sorted. The binary that runs need not be the one
	// that they were seen in.
	Hot []string
	// Memory is the memory model: at stores of Hot that can wait in a buffer of their
	// goroutine they do.
	Memory Memory `json:",omitempty"`
	// BufferSeed decides how long each waits; 0: as long as it may.
	BufferSeed uint64 `json:",omitempty"`
	// Collections are where the collector runs besides where the program asks for
	// it, in programs that could tell. They don't apply elsewhere.
	Collections []Collection
}

// Memory is a memory model, under which a schedule's run is made.
type Memory string

// Memory models: sequential consistency, total store order, partial store order.
const (
	SC  Memory = ""
	TSO Memory = "tso"
	PSO Memory = "pso"
)

// Allows reports whether what happens under another memory model can happen under m.
func (m Memory) Allows(o Memory) bool { return o == SC || o == m || m == PSO }

// Stronger is the next memory model in which fewer outcomes are possible; SC is its own.
func (m Memory) Stronger() Memory {
	if m == PSO {
		return TSO
	}
	return SC
}

// Collection lets the collector run when goroutine G has passed Count switch
// points and is about to perform its next operation.
type Collection struct {
	G     uint64 // Goroutine.Key
	Count uint32
}

// Switch is a context switch of a run: From performed the event before it, and To
// the event after it. Trace.Switches returns all of a run.
type Switch struct {
	From, To GID
	At       int  // index in Trace.Events of the event after it
	Preempt  bool // From could have gone on
}
