package debug

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/hocket-dev/hocket/engine/trace"
)

// hook is a call that reports a plain access: of one of the compiler's race
// hooks, or of a function of the runtime's that accesses memory on behalf of
// its caller. It is known, as in Schedule.HotPCs, by its return address
// relative to the start of the text.
type hook struct {
	pc     uint64
	callee string
	frames []trace.Frame // innermost first; several if inlined
}

// place is what hooks of two builds of one line have in common.
type place struct {
	file   string
	line   int
	callee string
}

func (h hook) place() place {
	return place{h.frames[0].File, h.frames[0].Line, h.callee}
}

// Carry names the hot places of a schedule in another build of the same
// sources: from and to are the executables. A hook is known by its line, what
// it is called for, and which of the line's hooks of that kind it is.
func Carry(s trace.Schedule, from, to string) (trace.Schedule, error) {
	if len(s.HotPCs) == 0 {
		return s, nil
	}
	was, err := open(from)
	if err != nil {
		return s, err
	}
	is, err := open(to)
	if err != nil {
		return s, err
	}
	callees := was.callees(s.HotPCs)
	old, err := was.hooks(callees)
	if err != nil {
		return s, err
	}
	now, err := is.hooks(callees)
	if err != nil {
		return s, err
	}
	s.HotPCs = carry(s.HotPCs, old, now)
	return s, nil
}

func carry(pcs []uint64, old, now []hook) []uint64 {
	byPlace := map[place][]hook{}
	for _, h := range now {
		byPlace[h.place()] = append(byPlace[h.place()], h)
	}
	var out []uint64
	for _, h := range old {
		if !slices.Contains(pcs, h.pc) {
			continue
		}
		nth, of := rank(h, old)
		others := byPlace[h.place()]
		if len(others) == of { // the same code: the same one of them
			out = append(out, others[nth].pc)
			continue
		}
		for _, o := range others {
			out = append(out, o.pc)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// rank is which of its place's hooks h is, and of how many, in its copy of the
// line: inlining makes several.
func rank(h hook, all []hook) (nth, of int) {
	for _, o := range all {
		if o.callee == h.callee && slices.Equal(o.frames, h.frames) {
			if o.pc < h.pc {
				nth++
			}
			of++
		}
	}
	return nth, of
}

// image is the code of an executable.
type image struct {
	path  string
	arch  elf.Machine
	code  []byte
	addr  uint64            // of the code
	start uint64            // of the Go text, to which all addresses are relative
	funcs map[uint64]string // by address
}

func open(path string) (*image, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	defer f.Close()
	syms, err := f.Symbols()
	if err != nil {
		return nil, fmt.Errorf("symbols of %s: %w", path, err)
	}
	m := &image{path: path, arch: f.Machine, funcs: map[uint64]string{}}
	for _, s := range syms {
		if s.Name == "runtime.text" {
			m.start = s.Value
		} else if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			m.funcs[s.Value] = s.Name
		}
	}
	text := f.Section(".text")
	if text == nil || m.start == 0 {
		return nil, fmt.Errorf("%s has no Go text", path)
	}
	m.addr = text.Addr
	if m.code, err = text.Data(); err != nil {
		return nil, fmt.Errorf("text of %s: %w", path, err)
	}
	return m, nil
}

// Locate sets the addresses of the stops at which a function of an executable
// begins. It leaves out those of which there is none.
func Locate(stops []Stop, path string) ([]Stop, error) {
	if !slices.ContainsFunc(stops, func(s Stop) bool { return s.Entry }) {
		return stops, nil
	}
	m, err := open(path)
	if err != nil {
		return nil, err
	}
	at := map[string]uint64{}
	for addr, name := range m.funcs {
		at[name] = addr
	}
	for i := range stops {
		if stops[i].Entry {
			stops[i].Address = at[stops[i].Func]
		}
	}
	return slices.DeleteFunc(stops, func(s Stop) bool { return s.Entry && s.Address == 0 }), nil
}

// callees are the functions that the calls before some addresses call.
func (m *image) callees(pcs []uint64) map[string]bool {
	names := map[string]bool{}
	m.calls(func(ret, to uint64) {
		if name := m.funcs[to]; name != "" && slices.Contains(pcs, ret) {
			names[name] = true
		}
	})
	return names
}

// hooks finds the calls of some functions, in order of address.
func (m *image) hooks(callees map[string]bool) ([]hook, error) {
	var hooks []hook
	var pcs []uint64
	m.calls(func(ret, to uint64) {
		if name := m.funcs[to]; callees[name] {
			hooks = append(hooks, hook{pc: ret, callee: name})
			pcs = append(pcs, ret)
		}
	})
	frames, err := trace.NewBinarySymbolizer(m.path).PCs(pcs)
	if err != nil {
		return nil, err
	}
	for i := range hooks {
		hooks[i].frames = frames[i]
	}
	return slices.DeleteFunc(hooks, func(h hook) bool { return len(h.frames) == 0 }), nil
}

// calls yields the direct calls: the return address relative to the start, and
// where the called function is. Bytes that only look like a call would have to
// hold the very distance to a function.
func (m *image) calls(yield func(ret, to uint64)) {
	code := m.code
	switch m.arch {
	case elf.EM_X86_64: // E8 rel32
		for i := 0; i+5 <= len(code); i++ {
			n := bytes.IndexByte(code[i:len(code)-4], 0xE8)
			if n < 0 {
				break
			}
			i += n
			ret := m.addr + uint64(i) + 5
			yield(ret-m.start, ret+uint64(int64(int32(binary.LittleEndian.Uint32(code[i+1:])))))
		}
	case elf.EM_AARCH64: // BL imm26
		for i := 0; i+4 <= len(code); i += 4 {
			if w := binary.LittleEndian.Uint32(code[i:]); w>>26 == 0b100101 {
				at := m.addr + uint64(i)
				yield(at+4-m.start, at+uint64(int64(int32(w<<6)>>4)))
			}
		}
	}
}
