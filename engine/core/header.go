package core

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	maxNotes     = 64 << 20              // bytes of notes
	maxMappings  = 1 << 16               // as many as the kernel allows
	noteFile     = elf.NType(0x46494c45) // NT_FILE: which files are mapped where
	noteAux      = elf.NType(6)          // NT_AUXV
	auxEntry     = 9                     // AT_ENTRY: where the program begins
	firstPage    = 4096
	noteHeadSize = 12
)

// header is what a core file says of itself.
type header struct {
	file     *elf.File
	entry    uint64 // where the program begins
	mappings []mapping
	threads  int
}

// mapping is a part of a file in memory.
type mapping struct {
	start, end uint64
	offset     uint64 // in the file, in bytes
	path       string
}

// readHeader checks that a core of size bytes is whole, and reads its notes.
func readHeader(r io.ReaderAt, size int64) (*header, error) {
	f, err := elf.NewFile(r)
	if err != nil {
		return nil, fmt.Errorf("not a whole ELF file: %w", err)
	}
	if f.Type != elf.ET_CORE {
		return nil, fmt.Errorf("an ELF file, but no core (%s)", f.Type)
	}
	if f.Class != elf.ELFCLASS64 || f.Data != elf.ELFDATA2LSB { // Delve reads all as if they were
		return nil, fmt.Errorf("it is of a program for %s: cores of 64-bit little-endian ones are read", machine(f.Machine))
	}
	h := &header{file: f}
	var notes []byte
	for _, p := range f.Progs {
		if end := p.Off + p.Filesz; end < p.Off || end > uint64(size) {
			return nil, fmt.Errorf("the core is cut: its headers tell of %d bytes, it has %d; see that ulimit -c and the disk leave room for all of it", end, size)
		}
		if p.Type != elf.PT_NOTE || notes != nil {
			continue
		}
		if p.Filesz > maxNotes {
			return nil, fmt.Errorf("its notes have %d bytes, more than a core has", p.Filesz)
		}
		notes = make([]byte, p.Filesz)
		if _, err := r.ReadAt(notes, int64(p.Off)); err != nil {
			return nil, fmt.Errorf("read its notes: %w", err)
		}
	}
	if notes == nil {
		return nil, errors.New("it has no notes, so no threads")
	}
	if err := h.readNotes(notes); err != nil {
		return nil, err
	}
	if h.threads == 0 {
		return nil, errors.New("it tells of no thread")
	}
	return h, nil
}

// readNotes takes what is needed of the notes, and checks the lengths of all: Delve
// trusts them.
func (h *header) readNotes(b []byte) error {
	order := h.file.ByteOrder
	for len(b) >= noteHeadSize {
		name, desc, typ := uint64(order.Uint32(b)), uint64(order.Uint32(b[4:])), elf.NType(order.Uint32(b[8:]))
		b = b[noteHeadSize:]
		from := padded(name)
		if from+desc > uint64(len(b)) {
			return errors.New("a note of it is longer than all its notes")
		}
		body := b[from : from+desc]
		b = b[min(from+padded(desc), uint64(len(b))):]
		switch typ {
		case elf.NT_PRSTATUS:
			h.threads++
		case noteAux:
			h.entry = auxOf(body, order)
		case noteFile:
			if err := h.readMappings(body, order); err != nil {
				return err
			}
		}
	}
	return nil
}

func padded(n uint64) uint64 { return (n + 3) &^ 3 }

// auxOf is the entry point that the kernel told the program.
func auxOf(b []byte, order binary.ByteOrder) uint64 {
	for ; len(b) >= 16; b = b[16:] {
		if order.Uint64(b) == auxEntry {
			return order.Uint64(b[8:])
		}
	}
	return 0
}

// readMappings reads which files are mapped: a count, the size of a page, three words
// for each, then all names.
func (h *header) readMappings(b []byte, order binary.ByteOrder) error {
	bad := errors.New("its list of mapped files is damaged")
	if len(b) < 16 {
		return bad
	}
	n, page := order.Uint64(b), order.Uint64(b[8:])
	b = b[16:]
	if n > maxMappings || n*24 > uint64(len(b)) {
		return bad
	}
	names := b[n*24:]
	for i := range n {
		w := b[i*24:]
		name, rest, ok := bytes.Cut(names, []byte{0})
		if !ok {
			return bad
		}
		names = rest
		h.mappings = append(h.mappings, mapping{order.Uint64(w), order.Uint64(w[8:]), order.Uint64(w[16:]) * page, string(name)})
	}
	return nil
}

// executable is the file in which the program begins ("" if the core does not tell).
func (h *header) executable() string {
	for _, m := range h.mappings {
		if m.start <= h.entry && h.entry < m.end {
			return m.path
		}
	}
	return ""
}

// base is where the beginning of the executable is in memory; 0 if that is not known.
func (h *header) base() uint64 {
	path := h.executable()
	for _, m := range h.mappings {
		if m.path == path && path != "" && m.offset == 0 {
			return m.start
		}
	}
	return 0
}

// memory reads what the core has at an address; less than len(b) if there is no more.
func (h *header) memory(b []byte, addr uint64) int {
	for _, p := range h.file.Progs {
		if p.Type == elf.PT_LOAD && addr >= p.Vaddr && addr-p.Vaddr < p.Filesz {
			n, _ := p.ReadAt(b, int64(addr-p.Vaddr))
			return n
		}
	}
	return 0
}
