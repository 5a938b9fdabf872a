package trace

import (
	"debug/elf"
	"debug/macho"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// variables finds package variables of a binary by its symbol table, and what
// lies inside them by its debug information, if it has any.
type variables struct {
	text  uint64 // address of runtime.text in the file
	syms  []symbol
	dwarf *dwarfNames // nil without debug information
}

type symbol struct {
	name       string
	addr, size uint64
}

// openVariables reads the tables of an ELF or Mach-O file.
func openVariables(path string) (*variables, error) {
	if f, err := elf.Open(path); err == nil {
		defer f.Close()
		v := &variables{}
		v.elfSymbols(f)
		if d, err := f.DWARF(); err == nil {
			v.dwarf = newDwarfNames(d)
		}
		return v, nil
	}
	f, err := macho.Open(path)
	if err != nil {
		return nil, fmt.Errorf("variables of %s: neither an ELF nor a Mach-O file", path)
	}
	defer f.Close()
	v := &variables{}
	v.machoSymbols(f)
	if d, err := f.DWARF(); err == nil {
		v.dwarf = newDwarfNames(d)
	}
	return v, nil
}

// elfSymbols keeps symbols with a size outside the text. A stripped file has none.
func (v *variables) elfSymbols(f *elf.File) {
	syms, _ := f.Symbols()
	for _, s := range syms {
		switch {
		case s.Name == "runtime.text":
			v.text = s.Value
		case elf.ST_TYPE(s.Info) == elf.STT_OBJECT && s.Size > 0:
			v.syms = append(v.syms, symbol{s.Name, s.Value, s.Size})
		}
	}
	v.sort()
}

// machoSymbols derives sizes, which Mach-O does not have, from the next symbol.
func (v *variables) machoSymbols(f *macho.File) {
	if f.Symtab == nil {
		return
	}
	text := f.Section("__text")
	for _, s := range f.Symtab.Syms {
		name := strings.TrimPrefix(s.Name, "_")
		switch {
		case name == "runtime.text":
			v.text = s.Value
		case text != nil && s.Value >= text.Addr && s.Value < text.Addr+text.Size:
		case s.Value != 0:
			v.syms = append(v.syms, symbol{name, s.Value, 0})
		}
	}
	v.sort()
	for i := range v.syms[:max(len(v.syms)-1, 0)] {
		v.syms[i].size = v.syms[i+1].addr - v.syms[i].addr
	}
}

func (v *variables) sort() {
	slices.SortFunc(v.syms, func(a, b symbol) int {
		if a.addr != b.addr {
			return int(int64(a.addr - b.addr))
		}
		return strings.Compare(a.name, b.name)
	})
}

// find returns what is at an address relative to text.
func (v *variables) find(q GlobalReq) GlobalInfo {
	addr := q.Addr + v.text
	i := sort.Search(len(v.syms), func(i int) bool { return v.syms[i].addr > addr }) - 1
	if v.text == 0 || i < 0 || addr-v.syms[i].addr >= v.syms[i].size {
		return GlobalInfo{}
	}
	s := v.syms[i]
	g := GlobalInfo{Symbol: s.name, Offset: addr - s.addr}
	if v.dwarf == nil {
		return g
	}
	if t := v.dwarf.variable(s.name); t != nil {
		e := walkType(t, int64(g.Offset), int64(q.Want))
		g.Path, g.Type, g.Size, g.Kind = e.path, e.typ, e.size, e.kind
	}
	return g
}

// Globals implements Symbolizer.
func (b *BinarySymbolizer) Globals(reqs []GlobalReq) ([]GlobalInfo, error) {
	out := make([]GlobalInfo, len(reqs))
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.open(); err != nil {
		return out, err
	}
	for i, q := range reqs {
		out[i] = b.vars.find(q)
	}
	return out, nil
}

// Escaped implements Symbolizer.
func (b *BinarySymbolizer) Escaped(sites []Frame) ([][]Local, error) {
	out := make([][]Local, len(sites))
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.open(); err != nil {
		return out, err
	}
	if b.vars.dwarf == nil {
		return out, nil
	}
	for i, f := range sites {
		out[i] = b.vars.dwarf.localsAt(f.Func, f.Line)
	}
	return out, nil
}

func (b *BinarySymbolizer) open() error {
	if b.vars == nil && b.varsErr == nil {
		b.vars, b.varsErr = openVariables(b.path)
	}
	return b.varsErr
}
