package process

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/hocket-dev/hocket/engine/rt"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// runFile is a run file (package rt) as Hocket's side sees it: created with
// the configuration, mapped, and read after the process has ended.
type runFile struct {
	name   string
	data   []byte   // shared mapping
	hot    []string // the hot places, as the binary has them
	keep   []uint64 // Spec.Keep as program counters
	steps  int      // Schedule.Steps of the run
	memory trace.Memory
}

// section capacities, in entries
func capacities(rec run.Record, spec run.Spec, hot, stores []uint64, what recording) map[int]int {
	c := map[int]int{
		rt.WSegOff:     len(spec.Schedule.Segments),
		rt.WHotOff:     len(hot),
		rt.WWatchOff:   len(what.watch),
		rt.WPickOff:    1 << 20,
		rt.WStackOff:   1 << 17,
		rt.WGoOff:      1 << 16,
		rt.WSharedOff:  1 << 17,
		rt.WRaceOff:    512,
		rt.WTextOff:    1 << 16,
		rt.WBlockedOff: 1 << 13,
		rt.WChoiceOff:  len(spec.Schedule.Choices),
		rt.WOrderOff:   len(spec.Orders),
		rt.WCollectOff: len(spec.Schedule.Collections) + len(spec.Collect),
		rt.WBufferOff:  len(stores),
	}
	if spec.Pairs {
		c[rt.WPairOff] = 1 << 12
	}
	if spec.Tell {
		c[rt.WBranchOff] = 1 << 20
	}
	if len(spec.Hold) > 0 {
		c[rt.WHoldOff] = 1 << 13
	}
	if rec != run.Light {
		c[rt.WEventOff] = what.max
		c[rt.WAllocOff] = 1 << 20
		c[rt.WStackOff] = 4 << 20
	}
	return c
}

var entrySizes = []struct{ off, size int }{
	{rt.WSegOff, rt.SegSize}, {rt.WHotOff, 8}, {rt.WWatchOff, 8}, {rt.WEventOff, rt.EventSize},
	{rt.WPickOff, rt.SegSize}, {rt.WStackOff, 8}, {rt.WGoOff, rt.GoSize}, {rt.WAllocOff, rt.AllocSize},
	{rt.WSharedOff, 8}, {rt.WRaceOff, rt.RaceSize}, {rt.WTextOff, 1}, {rt.WBlockedOff, rt.BlockedSize},
	{rt.WPairOff, rt.PairSize},
	{rt.WChoiceOff, rt.ChoiceSize}, {rt.WOrderOff, rt.OrderSize}, {rt.WCollectOff, rt.CollectSize}, {rt.WHoldOff, rt.HoldSize}, {rt.WBufferOff, 8},
	{rt.WBranchOff, rt.BranchSize},
}

func newRunFile(dir string, spec run.Spec, hot, stores []uint64, rec run.Record, what recording) (*runFile, error) {
	if what.watch != nil && len(what.watch) == 0 {
		what.watch = []uint64{0} // for the program an empty list means all: no program accesses this address
	}
	caps := capacities(rec, spec, hot, stores, what)
	size := rt.HeaderSize
	offs := map[int]int{}
	for _, s := range entrySizes {
		offs[s.off] = size
		size += (caps[s.off]*s.size + 4095) &^ 4095
	}
	file, err := os.CreateTemp(dir, "run-")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f := &runFile{name: file.Name()}
	if err := file.Truncate(int64(size)); err != nil {
		os.Remove(f.name)
		return nil, err
	}
	f.data, err = syscall.Mmap(int(file.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		os.Remove(f.name)
		return nil, fmt.Errorf("map: %w", err)
	}
	for off, at := range offs {
		f.put(off, uint64(at))
		f.put(off+1, uint64(caps[off]))
	}
	f.steps, f.memory = spec.Schedule.Steps, spec.Schedule.Memory
	f.configure(spec, rec, uint64(size))
	f.fill(spec, hot, stores, what.watch)
	return f, nil
}

func (f *runFile) configure(spec run.Spec, rec run.Record, size uint64) {
	flags := uint64(rt.FlagControl | rt.FlagRace)
	if rec != run.Light {
		flags |= rt.FlagEvents | rt.FlagStacks | rt.FlagPlain | rt.FlagAllocs
	}
	if spec.Pairs {
		flags |= rt.FlagPairs
	}
	if spec.Stands {
		flags |= rt.FlagStands
	}
	strategy := map[run.Strategy]uint64{run.Random: rt.StrategyRandom, run.POS: rt.StrategyPOS, run.PCT: rt.StrategyPCT, run.Ordered: rt.StrategyOrders}[spec.Strategy]
	orElse := func(v, def uint64) uint64 {
		if v == 0 {
			return def
		}
		return v
	}
	for w, v := range map[int]uint64{
		rt.WMagic: rt.Magic, rt.WVersion: rt.Version, rt.WSize: size,
		rt.WFlags: flags, rt.WStrategy: strategy, rt.WSeed: spec.Seed,
		rt.WInputSeed: spec.Schedule.InputSeed, rt.WSelectSeed: spec.Schedule.SelectSeed,
		rt.WClockStep:  uint64(spec.Schedule.ClockStep),
		rt.WDelayMax:   uint64(spec.Schedule.Delay),
		rt.WVirtualMax: orElse(uint64(spec.Virtual), uint64(DefaultVirtual)),
		rt.WStepMax:    orElse(uint64(spec.Schedule.Steps), orElse(uint64(spec.Steps), DefaultSteps)),
		rt.WProcs:      orElse(uint64(spec.Schedule.Procs), defaultProcs),
		rt.WDepth:      uint64(spec.Depth), rt.WLength: uint64(spec.Length),
		rt.WDrain:  uint64(drain / time.Nanosecond),
		rt.WMemory: memories[spec.Schedule.Memory], rt.WBufferSeed: spec.Schedule.BufferSeed,
	} {
		f.put(w, v)
	}
}

// memories are the memory models as the run file has them.
var memories = map[trace.Memory]uint64{trace.TSO: rt.MemoryTSO, trace.PSO: rt.MemoryPSO}

func (f *runFile) fill(spec run.Spec, hot, stores, shared []uint64) {
	le := binary.LittleEndian
	at := f.word(rt.WSegOff)
	for _, s := range spec.Schedule.Segments {
		le.PutUint64(f.data[at:], s.G)
		le.PutUint32(f.data[at+8:], s.Until)
		flags := uint32(0)
		if s.Await {
			flags |= rt.SegAwait
		}
		if s.Timer {
			flags |= rt.SegTimer
		}
		le.PutUint32(f.data[at+12:], flags)
		at += rt.SegSize
	}
	f.put(rt.WSegLen, uint64(len(spec.Schedule.Segments)))
	f.choices(spec.Schedule.Choices)
	f.orders(spec.Orders)
	f.collections(spec.Schedule.Collections, spec.Collect)
	sorted := func(off int, words []uint64) {
		words = slices.Clone(words)
		slices.Sort(words)
		at := f.word(off)
		for i, w := range words {
			le.PutUint64(f.data[at+uint64(i)*8:], w)
		}
		f.put(off+2, uint64(len(words)))
	}
	sorted(rt.WHotOff, hot)
	sorted(rt.WWatchOff, shared)
	sorted(rt.WBufferOff, stores)
}

// choices writes them sorted, for the runtime half to find one quickly.
func (f *runFile) choices(cs []trace.Choice) {
	cs = slices.Clone(cs)
	slices.SortFunc(cs, func(a, b trace.Choice) int {
		return cmp.Or(cmp.Compare(a.G, b.G), cmp.Compare(a.Count, b.Count))
	})
	f.put(rt.WChoiceLen, uint64(len(cs)))
	for i, c := range cs {
		e := f.entry(rt.WChoiceOff, rt.ChoiceSize, i)
		binary.LittleEndian.PutUint64(e, c.G)
		binary.LittleEndian.PutUint32(e[8:], c.Count)
		binary.LittleEndian.PutUint32(e[12:], uint32(c.Case))
	}
}

// orders writes them sorted, for the same reason.
func (f *runFile) orders(os []run.Order) {
	os = slices.Clone(os)
	slices.SortFunc(os, func(a, b run.Order) int {
		return cmp.Or(cmp.Compare(a.G, b.G), cmp.Compare(a.Count, b.Count))
	})
	f.put(rt.WOrderLen, uint64(len(os)))
	for i, o := range os {
		e := f.entry(rt.WOrderOff, rt.OrderSize, i)
		binary.LittleEndian.PutUint64(e, o.G)
		binary.LittleEndian.PutUint32(e[8:], o.Count)
		binary.LittleEndian.PutUint32(e[12:], o.AfterCount)
		binary.LittleEndian.PutUint64(e[16:], o.After)
	}
}

// collections writes where the collector runs: at places of a schedule, and
// before switch points of given numbers.
func (f *runFile) collections(at []trace.Collection, steps []int) {
	f.put(rt.WCollectLen, uint64(len(at)))
	for i, c := range at {
		e := f.entry(rt.WCollectOff, rt.CollectSize, i)
		binary.LittleEndian.PutUint64(e, c.G)
		binary.LittleEndian.PutUint32(e[8:], c.Count)
	}
	for i, n := range steps[:min(len(steps), run.MaxCollect)] {
		f.put(rt.WCollectStep1+i, uint64(n))
	}
}

func (f *runFile) put(w int, v uint64) { binary.LittleEndian.PutUint64(f.data[w*8:], v) }
func (f *runFile) word(w int) uint64   { return binary.LittleEndian.Uint64(f.data[w*8:]) }
func (f *runFile) used(off int) int    { return int(min(f.word(off+2), f.word(off+1))) }
func (f *runFile) entry(off, size, i int) []byte {
	at := int(f.word(off)) + i*size
	return f.data[at : at+size]
}

func (f *runFile) words(off int) []uint64 {
	out := make([]uint64, f.used(off))
	for i := range out {
		out[i] = binary.LittleEndian.Uint64(f.entry(off, 8, i))
	}
	return out
}

// schedule is what was run, as segments with the reason of each end.
func (f *runFile) schedule() (trace.Schedule, []run.EndReason) {
	s := trace.Schedule{
		SelectSeed: f.word(rt.WSelectSeed),
		InputSeed:  f.word(rt.WInputSeed),
		ClockStep:  int64(f.word(rt.WClockStep)),
		Delay:      int64(f.word(rt.WDelayMax)),
		Steps:      f.steps,
		Procs:      int(f.word(rt.WProcs)),
		Hot:        f.hot,
		Memory:     f.memory,
		BufferSeed: f.word(rt.WBufferSeed),
	}
	if f.word(rt.WStatus) == rt.StatusStepMax {
		s.Steps = int(f.word(rt.WStepMax))
	}
	for i := range f.used(rt.WChoiceOff) {
		e := f.entry(rt.WChoiceOff, rt.ChoiceSize, i)
		s.Choices = append(s.Choices, trace.Choice{
			G: binary.LittleEndian.Uint64(e), Count: binary.LittleEndian.Uint32(e[8:]), Case: int(int32(binary.LittleEndian.Uint32(e[12:]))),
		})
	}
	for i := range f.used(rt.WCollectOff) {
		e := f.entry(rt.WCollectOff, rt.CollectSize, i)
		if binary.LittleEndian.Uint32(e[12:]) != 0 {
			s.Collections = append(s.Collections, trace.Collection{G: binary.LittleEndian.Uint64(e), Count: binary.LittleEndian.Uint32(e[8:])})
		}
	}
	var ends []run.EndReason
	n := f.used(rt.WPickOff)
	for i := range n {
		e := f.entry(rt.WPickOff, rt.SegSize, i)
		seg := trace.Segment{G: binary.LittleEndian.Uint64(e), Until: binary.LittleEndian.Uint32(e[8:])}
		flags := binary.LittleEndian.Uint32(e[12:])
		seg.Await, seg.Timer = flags&rt.SegAwait != 0, flags&rt.SegTimer != 0
		end := run.EndReason(uint8(flags))
		if i == n-1 && !seg.Timer {
			seg.Until = math.MaxUint32
		}
		s.Segments = append(s.Segments, seg)
		ends = append(ends, end)
	}
	return s, ends
}

// racePCs are the addresses of the races' accesses, two for each.
func (f *runFile) racePCs() (pcs []uint64) {
	for i := range f.used(rt.WRaceOff) {
		e := f.entry(rt.WRaceOff, rt.RaceSize, i)
		pcs = append(pcs, binary.LittleEndian.Uint64(e[16:]), binary.LittleEndian.Uint64(e[24:]))
	}
	return pcs
}

func (f *runFile) anyLeak() bool {
	for i := range f.used(rt.WBlockedOff) {
		if f.entry(rt.WBlockedOff, rt.BlockedSize, i)[5] != 0 {
			return true
		}
	}
	return false
}

func (f *runFile) close() {
	_ = syscall.Munmap(f.data)
	os.Remove(f.name)
}
