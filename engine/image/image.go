package image

import (
	"cmp"
	"debug/elf"
	"debug/gosym"
	"debug/macho"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Image is what the file of an executable says. All addresses of its methods
// are relative to the start of the Go text. It does not change.
type Image struct {
	start  uint64 // of the Go text, as the file counts addresses
	arch   arch
	code   []byte
	addr   uint64   // of the code
	funcs  []symbol // by address
	vars   []symbol // by address
	byName map[string][]Func
	entry  map[uint64]string  // functions by address
	dwarf  func() *dwarfNames // reads it at the first call, which takes long; nil without debug information
}

type arch int

const (
	other arch = iota
	amd64
	arm64
)

type symbol struct {
	name       string
	addr, size uint64
}

// Func is a function of the text.
type Func struct {
	Name string // as the linker spells it, type arguments included
	Addr uint64
	Size uint64
}

// Open reads the tables of an ELF or Mach-O file. A stripped file has no
// variables.
func Open(path string) (*Image, error) {
	m := &Image{byName: map[string][]Func{}, entry: map[uint64]string{},
		dwarf: sync.OnceValue(func() *dwarfNames { return readDWARF(path) })}
	if f, err := elf.Open(path); err == nil {
		defer f.Close()
		if err := m.readELF(f); err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
	} else if f, err := macho.Open(path); err == nil {
		defer f.Close()
		if err := m.readMachO(f); err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
	} else {
		return nil, fmt.Errorf("read %s: neither an ELF nor a Mach-O file", path)
	}
	for _, s := range m.funcs {
		m.byName[s.name] = append(m.byName[s.name], m.fn(s))
		m.entry[s.addr] = s.name
	}
	return m, nil
}

func (m *Image) readELF(f *elf.File) error {
	m.arch = map[elf.Machine]arch{elf.EM_X86_64: amd64, elf.EM_AARCH64: arm64}[f.Machine]
	syms, _ := f.Symbols() // a stripped file has none
	for _, s := range syms {
		switch kind := elf.ST_TYPE(s.Info); {
		case s.Name == "runtime.text":
			m.start = s.Value
		case kind == elf.STT_FUNC:
			m.funcs = append(m.funcs, symbol{strings.TrimSuffix(s.Name, ".abi0"), s.Value, s.Size}) // as the table of the program has it
		case kind == elf.STT_OBJECT && s.Size > 0:
			m.vars = append(m.vars, symbol{s.Name, s.Value, s.Size})
		}
	}
	sortSymbols(m.funcs)
	sortSymbols(m.vars)
	text := f.Section(".text")
	if text == nil {
		return nil
	}
	var err error
	m.addr = text.Addr
	if m.code, err = text.Data(); err != nil {
		return err
	}
	if table := cmp.Or(f.Section(".gopclntab"), f.Section(".data.rel.ro.gopclntab")); m.start == 0 && table != nil {
		data, err := table.Data()
		if err != nil {
			return err
		}
		return m.readStripped(data)
	}
	return nil
}

// readStripped takes the functions from the table that the program itself needs.
// Where C code comes before the Go text, that is not found.
func (m *Image) readStripped(pclntab []byte) error {
	t, err := gosym.NewTable(nil, gosym.NewLineTable(pclntab, m.addr))
	if err != nil {
		return err
	}
	m.start, m.funcs = m.addr, nil
	for _, f := range t.Funcs {
		m.funcs = append(m.funcs, symbol{f.Name, f.Entry, f.End - f.Entry})
	}
	return nil
}

// readMachO derives sizes, which Mach-O does not have, from the next symbol.
func (m *Image) readMachO(f *macho.File) error {
	m.arch = map[macho.Cpu]arch{macho.CpuAmd64: amd64, macho.CpuArm64: arm64}[f.Cpu]
	text := f.Section("__text")
	if text == nil || f.Symtab == nil {
		return nil
	}
	end := text.Addr + text.Size
	for _, s := range f.Symtab.Syms {
		name := strings.TrimSuffix(strings.TrimPrefix(s.Name, "_"), ".abi0")
		switch {
		case name == "runtime.text":
			m.start = s.Value
		case s.Value >= text.Addr && s.Value < end:
			m.funcs = append(m.funcs, symbol{name, s.Value, 0})
		case s.Value != 0:
			m.vars = append(m.vars, symbol{name, s.Value, 0})
		}
	}
	sortSymbols(m.funcs)
	sortSymbols(m.vars)
	untilNext(m.funcs, end)
	untilNext(m.vars, 0)
	var err error
	m.addr = text.Addr
	m.code, err = text.Data()
	return err
}

func sortSymbols(syms []symbol) {
	slices.SortFunc(syms, func(a, b symbol) int {
		return cmp.Or(cmp.Compare(a.addr, b.addr), strings.Compare(a.name, b.name))
	})
}

// untilNext sets the sizes; end is where what the last symbol names ends, 0 if
// that is not known.
func untilNext(syms []symbol, end uint64) {
	for i := range syms {
		next := end
		if i+1 < len(syms) {
			next = syms[i+1].addr
		}
		syms[i].size = next - min(next, syms[i].addr)
	}
}

// at finds the symbol that covers an address of the file.
func at(syms []symbol, addr uint64) (symbol, bool) {
	i, found := slices.BinarySearchFunc(syms, addr, func(s symbol, a uint64) int { return cmp.Compare(s.addr, a) })
	if !found {
		i--
	}
	if i < 0 || addr-syms[i].addr >= syms[i].size {
		return symbol{}, false
	}
	return syms[i], true
}

func (m *Image) fn(s symbol) Func { return Func{s.name, s.addr - m.start, s.size} }

// FuncAt is the function in which a return address lies.
func (m *Image) FuncAt(pc uint64) (Func, bool) {
	s, ok := at(m.funcs, m.start+pc-1)
	if !ok {
		return Func{}, false
	}
	return m.fn(s), true
}

// Funcs are the functions of a name, in order of address: a few names, such as
// those of assembly, occur more than once.
func (m *Image) Funcs(name string) []Func { return m.byName[name] }

// All are the functions, in order of address.
func (m *Image) All() []Func {
	out := make([]Func, len(m.funcs))
	for i, s := range m.funcs {
		out[i] = m.fn(s)
	}
	return out
}

// Address of a function in the file, as debuggers count; 0 if there is none.
func (m *Image) Address(name string) uint64 {
	if fs := m.byName[name]; len(fs) > 0 {
		return m.start + fs[0].Addr
	}
	return 0
}
