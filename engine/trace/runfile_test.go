package trace

import (
	"encoding/binary"
	"fmt"

	"github.com/hocket-dev/hocket/engine/rt"
)

// runFile builds the bytes of a run file by hand.
type runFile struct {
	sections map[int][]byte // by the word of the offset
	words    map[int]uint64
	stackAt  uint32
}

const testText = 0x400000

func newRunFile() *runFile {
	r := &runFile{sections: map[int][]byte{}, words: map[int]uint64{}, stackAt: 2}
	r.sections[rt.WStackOff] = make([]byte, 16) // id 0 is the empty stack
	r.sections[rt.WGoOff] = make([]byte, rt.GoSize)
	r.words[rt.WMagic] = rt.Magic
	r.words[rt.WTextStart] = testText
	return r
}

func (r *runFile) add(section int, fields ...any) {
	b := r.sections[section]
	for _, f := range fields {
		switch f := f.(type) {
		case uint64:
			b = binary.LittleEndian.AppendUint64(b, f)
		case uint32:
			b = binary.LittleEndian.AppendUint32(b, f)
		case uint16:
			b = binary.LittleEndian.AppendUint16(b, f)
		case uint8:
			b = append(b, f)
		default:
			panic(fmt.Sprintf("field of type %T", f))
		}
	}
	r.sections[section] = b
}

func (r *runFile) stack(pcs ...uint64) uint32 {
	id := r.stackAt
	r.add(rt.WStackOff, uint64(len(pcs)))
	for _, pc := range pcs {
		r.add(rt.WStackOff, pc)
	}
	r.stackAt += uint32(len(pcs)) + 1
	return id
}

func (r *runFile) goroutine(key uint64, parent, index uint32, entry uint64, stack uint32) {
	r.startedByTimer(key, parent, 0, index, entry, stack)
}

func (r *runFile) startedByTimer(key uint64, parent, timer, index uint32, entry uint64, stack uint32) {
	r.add(rt.WGoOff, key, parent, index, entry, stack, uint32(0), timer, uint32(0))
}

// event adds an event; a value of nil is none.
func (r *runFile) event(g uint32, op Op, obj uint64, stack uint32, value any, aux uint64) {
	flags, v := uint8(0), uint64(0)
	if n, ok := value.(int); ok {
		flags, v = rt.EventHasValue, uint64(n)
	}
	r.add(rt.WEventOff, g, uint8(op), flags, uint16(0), obj, stack, uint32(0), v, aux, uint64(0))
}

func (r *runFile) alloc(addr, size, typ uint64, stack, g uint32) {
	at := uint64(len(r.sections[rt.WEventOff]) / rt.EventSize)
	r.add(rt.WAllocOff, addr, size, typ, stack, g, at)
}

var entrySizes = map[int]int{
	rt.WPickOff: rt.SegSize, rt.WEventOff: rt.EventSize, rt.WStackOff: 8, rt.WGoOff: rt.GoSize, rt.WSharedOff: 8,
	rt.WAllocOff: rt.AllocSize, rt.WRaceOff: rt.RaceSize, rt.WTextOff: 1, rt.WBlockedOff: rt.BlockedSize,
	rt.WHotOff: 8,
}

func (r *runFile) bytes() []byte {
	data := make([]byte, rt.HeaderSize)
	for w, size := range entrySizes {
		b := r.sections[w]
		n := uint64(len(b) / size)
		r.words[w], r.words[w+1], r.words[w+2] = uint64(len(data)), n+1, n
		data = append(data, b...)
		data = append(data, make([]byte, size)...)
	}
	for w, v := range r.words {
		binary.LittleEndian.PutUint64(data[8*w:], v)
	}
	return data
}

// fakeNames is a Symbolizer with a table.
type fakeNames struct {
	frames  map[uint64][]Frame
	types   map[TypeReq]TypeInfo
	entries map[uint64]Frame
	globals map[uint64]GlobalInfo
	locals  map[string][]Local // by file:line
}

const testRoot = "/go/src"

// testSite is what fakeNames calls an address.
func testSite(pc uint64) string { return fmt.Sprintf("#%d/1,1/1 testText+0", pc) }

func (f fakeNames) Sites(pcs []uint64) ([]string, error) {
	out := make([]string, len(pcs))
	for i, pc := range pcs {
		out[i] = testSite(pc)
	}
	return out, nil
}

func (f fakeNames) Frames(pcs []uint64) ([][]Frame, error) {
	out := make([][]Frame, len(pcs))
	for i, pc := range pcs {
		out[i] = f.frames[pc]
	}
	return out, nil
}

func (f fakeNames) Types(reqs []TypeReq) ([]TypeInfo, error) {
	out := make([]TypeInfo, len(reqs))
	for i, q := range reqs {
		out[i] = f.types[q]
	}
	return out, nil
}

func (f fakeNames) Entries(pcs []uint64) ([]Frame, error) {
	out := make([]Frame, len(pcs))
	for i, pc := range pcs {
		out[i] = f.entries[pc]
	}
	return out, nil
}

func (f fakeNames) Globals(reqs []GlobalReq) ([]GlobalInfo, error) {
	out := make([]GlobalInfo, len(reqs))
	for i, q := range reqs {
		out[i] = f.globals[q.Addr]
	}
	return out, nil
}

func (f fakeNames) Reasons(nums []uint64) ([]string, error) {
	out := make([]string, len(nums))
	for i, n := range nums {
		out[i] = fmt.Sprintf("reason %d", n)
	}
	return out, nil
}

func (f fakeNames) Escaped(sites []Frame) ([][]Local, error) {
	out := make([][]Local, len(sites))
	for i, s := range sites {
		out[i] = f.locals[fmt.Sprintf("%s:%d", s.File, s.Line)]
	}
	return out, nil
}

func (f fakeNames) Meta() (Meta, error) { return Meta{GoVersion: "go1.26.8", StdRoot: testRoot}, nil }
