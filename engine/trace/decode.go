package trace

import (
	"fmt"
	"slices"

	"github.com/hocket-dev/hocket/engine/rt"
)

// DecodeOptions bound what Decode takes from a run file.
type DecodeOptions struct {
	MaxEvents int      // keep so many events at most and set Truncated; 0 = all
	Shared    bool     // leave out plain accesses to memory that the run file does not list as shared
	Keep      []uint64 // but not those of the instructions at these program counters, sorted
	Program   bool     // it is no test: goroutines that are blocked for ever are a failure though the run was cut off
	// Stands, if it is not nil, takes all goroutines that had not ended, but for the one
	// that failed, if the run was asked for them; else those that were blocked.
	Stands *[]Blocked
}

// Decode reads the bytes of a run file (package rt describes them) and names
// everything in it by asking sym, which may be nil: places and objects are then
// shown as addresses.
//
// Incomplete files are decoded as far as possible: a process may have been
// killed at any moment, so that the last event may be half written and later
// results missing. Only bytes that are not a run file at all, or a symbolizer
// that fails, give an error; with the latter the trace is returned too.
func Decode(run []byte, sym Symbolizer, opt DecodeOptions) (*Trace, error) {
	v, err := newRunView(run)
	if err != nil {
		return nil, fmt.Errorf("decode run: %w", err)
	}
	if sym == nil {
		sym = addresses{}
	}
	d := &decoder{v: v, sym: sym, opt: opt, t: &Trace{Version: Version}, kept: map[rawStack]bool{}}
	d.header()
	d.goroutines()
	d.events()
	d.allocations()
	d.stacks()
	d.nameGoroutines()
	d.objects()
	d.values()
	d.races()
	d.outcome()
	d.sites()
	d.schedule()
	d.t.splitPending()
	if d.err != nil {
		return d.t, fmt.Errorf("decode run: %w", d.err)
	}
	return d.t, nil
}

// decoder carries one Decode from step to step. Its slices that are parallel
// to Trace.Events hold what the trace does not keep.
type decoder struct {
	v    runView
	sym  Symbolizer
	opt  DecodeOptions
	t    *Trace
	text uint64
	err  error // the symbolizer's first

	entries   []uint64   // entry pc by gid
	goStacks  []rawStack // spawn stack by gid
	timers    []uint32   // number of the timer that started it, by gid; 0 is none
	evStacks  []rawStack
	addrs     []uint64 // object address by event
	stored    []bool   // by event: its value is the one that it left
	seqOf     []int    // raw event index -> index in Trace.Events of it or its successor
	allocs    []alloc
	stackIDs  map[rawStack]StackID
	pcs       []uint64          // of the first frame, by StackID
	kept      map[rawStack]bool // by stack of an access: it is of DecodeOptions.Keep
	objIDs    map[objKey]ObjID
	byAddr    map[uint64][]ObjID
	allocAt   *stamps
	nextAlloc int
}

func (d *decoder) fail(doing string, err error) {
	if err != nil && d.err == nil {
		d.err = fmt.Errorf("%s: %w", doing, err)
	}
}

func (d *decoder) header() {
	t, v := d.t, d.v
	d.text = v.word(rt.WTextStart)
	t.Hash = v.word(rt.WHash)
	t.Steps = int(v.word(rt.WSteps))
	t.VirtualNS = int64(v.word(rt.WVTime))
	t.External = int(v.word(rt.WExternal))
	t.Truncated = v.word(rt.WDropped) > 0
	t.AllocsLost = v.full(rt.WAllocOff)
	meta, err := d.sym.Meta()
	d.fail("ask the program about itself", err)
	t.GoVersion, t.StdRoot = meta.GoVersion, meta.StdRoot
}

// goroutines reads keys and parents; names follow when stacks are known.
func (d *decoder) goroutines() {
	b := d.v.section(rt.WGoOff, rt.GoSize)
	n := max(len(b)/rt.GoSize, 1)
	d.t.Goroutines = make([]Goroutine, n)
	d.entries = make([]uint64, n)
	d.goStacks = make([]rawStack, n)
	d.timers = make([]uint32, n)
	d.t.Goroutines[0] = Goroutine{Path: "r", Display: "runtime"}
	for i := 1; i < n; i++ {
		e := b[i*rt.GoSize:]
		d.t.Goroutines[i] = Goroutine{
			ID:     GID(i),
			Key:    u64(e, 0),
			Parent: GID(u32(e, 8)),
			Index:  int(u32(e, 12)),
			Ended:  u32(e, 28) != 0,
		}
		d.entries[i] = u64(e, 16)
		d.goStacks[i] = rawStack(u32(e, 24))
		d.timers[i] = u32(e, 32)
	}
}

// gid maps numbers that no goroutine has to the runtime.
func (d *decoder) gid(n uint32) GID {
	if int64(n) >= int64(len(d.t.Goroutines)) {
		return 0
	}
	return GID(n)
}

// events reads the event section. Half-written events have no valid operation
// and are left out.
func (d *decoder) events() {
	b := d.v.section(rt.WEventOff, rt.EventSize)
	n := len(b) / rt.EventSize
	if d.opt.MaxEvents > 0 && n > d.opt.MaxEvents {
		n = d.opt.MaxEvents
		d.t.Truncated = true
	}
	d.seqOf = make([]int, n)
	shared := d.sharedGranules()
	for i := range n {
		d.seqOf[i] = len(d.t.Events)
		e := b[i*rt.EventSize : (i+1)*rt.EventSize]
		op := Op(e[4])
		if op == OpNone || op >= NumOps {
			continue
		}
		if d.opt.Shared && OpRead <= op && op <= OpWriteRange && !touchesAny(shared, u64(e, 8), u64(e, 32)) && !d.keeps(rawStack(u32(e, 16))) {
			continue
		}
		d.t.Events = append(d.t.Events, Event{
			Seq:      len(d.t.Events),
			G:        d.gid(u32(e, 0)),
			Op:       op,
			HasValue: e[5]&rt.EventHasValue != 0,
			Count:    u32(e, 20),
			Value:    u64(e, 24),
			Aux:      u64(e, 32),
			Time:     int64(u64(e, 40)),
		})
		d.stored = append(d.stored, e[5]&rt.EventStored != 0)
		d.addrs = append(d.addrs, u64(e, 8))
		d.evStacks = append(d.evStacks, rawStack(u32(e, 16)))
	}
}

// keeps reports whether an access is recorded whoever uses its memory.
func (d *decoder) keeps(at rawStack) bool {
	if len(d.opt.Keep) == 0 {
		return false
	}
	kept, known := d.kept[at]
	if !known {
		kept = slices.ContainsFunc(d.rawPCs(d.v.section(rt.WStackOff, 8), at), func(pc uint64) bool {
			_, found := slices.BinarySearch(d.opt.Keep, pc)
			return found
		})
		d.kept[at] = kept
	}
	return kept
}

// sharedGranules are the addresses of the granules of 8 bytes that several
// goroutines touched, one of them writing, sorted.
func (d *decoder) sharedGranules() []uint64 {
	b := d.v.section(rt.WSharedOff, 8)
	out := make([]uint64, len(b)/8)
	for i := range out {
		out[i] = u64(b, 8*i)
	}
	slices.Sort(out)
	return out
}

// touchesAny reports whether one of the granules is among the size bytes at
// addr.
func touchesAny(granules []uint64, addr, size uint64) bool {
	i, _ := slices.BinarySearch(granules, addr&^7)
	return i < len(granules) && granules[i] <= (addr+max(size, 1)-1)&^7
}

// seq maps the number of events that the file had at some time to an index of
// Trace.Events; len(Trace.Events) when nothing followed.
func (d *decoder) seq(raw uint64) int {
	if raw >= uint64(len(d.seqOf)) {
		return len(d.t.Events)
	}
	return d.seqOf[raw]
}

// schedule returns the picks as the schedule that repeats this run.
func (d *decoder) schedule() {
	v, s := d.v, &d.t.Schedule
	*s = Schedule{
		SelectSeed: v.word(rt.WSelectSeed),
		InputSeed:  v.word(rt.WInputSeed),
		ClockStep:  int64(v.word(rt.WClockStep)),
		Delay:      int64(v.word(rt.WDelayMax)),
		Procs:      int(v.word(rt.WProcs)),
		Memory:     memories[v.word(rt.WMemory)],
		BufferSeed: v.word(rt.WBufferSeed),
	}
	b := v.section(rt.WPickOff, rt.SegSize)
	for i := 0; i+rt.SegSize <= len(b); i += rt.SegSize {
		s.Segments = append(s.Segments, Segment{G: u64(b, i), Until: u32(b, i+8), Await: u32(b, i+12)&rt.SegAwait != 0, Timer: u32(b, i+12)&rt.SegTimer != 0})
	}
	b = v.section(rt.WChoiceOff, rt.ChoiceSize)
	for i := 0; i+rt.ChoiceSize <= len(b); i += rt.ChoiceSize {
		s.Choices = append(s.Choices, Choice{G: u64(b, i), Count: u32(b, i+8), Case: int(int32(u32(b, i+12)))})
	}
	b = v.section(rt.WCollectOff, rt.CollectSize)
	for i := 0; i+rt.CollectSize <= len(b); i += rt.CollectSize {
		if u32(b, i+12) != 0 {
			s.Collections = append(s.Collections, Collection{G: u64(b, i), Count: u32(b, i+8)})
		}
	}
	var hot []uint64
	b = v.section(rt.WHotOff, 8)
	for i := 0; i+8 <= len(b); i += 8 {
		hot = append(hot, u64(b, i))
	}
	s.Hot = d.sitesOf(hot)
}

// memories are the memory models by their number in the run file.
var memories = map[uint64]Memory{rt.MemoryTSO: TSO, rt.MemoryPSO: PSO}

// sites names the instructions of the stacks.
func (d *decoder) sites() {
	d.t.Sites = append([]string{""}, d.sitesOf(d.pcs[1:])...)
}

func (d *decoder) sitesOf(pcs []uint64) []string {
	if len(pcs) == 0 {
		return nil
	}
	sites, err := d.sym.Sites(pcs)
	d.fail("name places", err)
	if err != nil {
		return make([]string, len(pcs))
	}
	return sites
}

// splitPending moves the delays, and the operations that never happened, out of the
// events, at whose end they are recorded.
func (t *Trace) splitPending() {
	n := len(t.Events)
	for n > 0 && (t.Events[n-1].Op == OpPending || t.Events[n-1].Op == OpDelay) {
		n--
	}
	for _, e := range t.Events[n:] {
		if e.Op == OpDelay {
			t.Delays = append(t.Delays, Delay{G: e.G, Stack: e.Stack, Count: e.Count, Time: e.Time, NS: int64(e.Value), Maker: GID(e.Aux >> 32), Timer: uint32(e.Aux)})
			continue
		}
		e.Op, e.Aux = Op(e.Aux), e.Aux>>32<<32
		t.Pending = append(t.Pending, e)
	}
	t.Events = t.Events[:n:n]
}
