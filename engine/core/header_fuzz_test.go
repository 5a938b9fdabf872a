package core

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"strings"
	"testing"
)

// smallCore is a core with one thread, a list of mapped files and no memory.
func smallCore() []byte {
	var notes bytes.Buffer
	note := func(typ elf.NType, desc []byte) {
		binary.Write(&notes, binary.LittleEndian, []uint32{5, uint32(len(desc)), uint32(typ)})
		notes.WriteString("CORE\x00\x00\x00\x00")
		notes.Write(desc)
		notes.Write(make([]byte, padded(uint64(len(desc)))-uint64(len(desc))))
	}
	words := func(w ...uint64) []byte {
		b, _ := binary.Append(nil, binary.LittleEndian, w)
		return b
	}
	note(elf.NT_PRSTATUS, make([]byte, 336))
	note(noteAux, words(auxEntry, 0x401000, 0, 0))
	note(noteFile, append(words(1, 4096, 0x400000, 0x500000, 0), "/bin/prog\x00"...))
	var out bytes.Buffer
	head := elf.Header64{Type: uint16(elf.ET_CORE), Machine: uint16(elf.EM_X86_64), Version: 1, Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 1}
	copy(head.Ident[:], "\x7fELF\x02\x01\x01")
	binary.Write(&out, binary.LittleEndian, head)
	binary.Write(&out, binary.LittleEndian, elf.Prog64{Type: uint32(elf.PT_NOTE), Off: 120, Filesz: uint64(notes.Len())})
	out.Write(notes.Bytes())
	return out.Bytes()
}

func TestHeader(t *testing.T) {
	b := smallCore()
	h, err := readHeader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	if h.executable() != "/bin/prog" || h.base() != 0x400000 || h.threads != 1 {
		t.Errorf("executable %q at %#x, %d threads", h.executable(), h.base(), h.threads)
	}
}

// A core whose numbers Delve would read otherwise than the checks before did is refused.
func TestOtherByteOrder(t *testing.T) {
	b := smallCore()
	b[elf.EI_DATA] = byte(elf.ELFDATA2MSB)
	binary.BigEndian.PutUint16(b[16:], uint16(elf.ET_CORE))
	binary.BigEndian.PutUint32(b[20:], 1)
	binary.BigEndian.PutUint16(b[18:], uint16(elf.EM_PPC64))
	for _, at := range []int{54, 56, 58, 60, 62} {
		binary.BigEndian.PutUint16(b[at:], binary.LittleEndian.Uint16(b[at:]))
	}
	binary.BigEndian.PutUint64(b[32:], 64)
	for _, at := range []int{72, 96} {
		binary.BigEndian.PutUint64(b[at:], binary.LittleEndian.Uint64(b[at:]))
	}
	binary.BigEndian.PutUint32(b[64:], uint32(elf.PT_NOTE))
	_, err := readHeader(bytes.NewReader(b), int64(len(b)))
	if err == nil || !strings.Contains(err.Error(), "cores of 64-bit little-endian ones are read") {
		t.Errorf("got %v", err)
	}
}

// Any bytes give a header or an error, and what the header names is within the file.
func FuzzHeader(f *testing.F) {
	f.Add(smallCore())
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := readHeader(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		h.executable()
		h.base()
		h.memory(make([]byte, 16), h.entry)
		for _, p := range h.file.Progs {
			if p.Off+p.Filesz > uint64(len(b)) {
				t.Errorf("a part at %d with %d bytes of %d was taken", p.Off, p.Filesz, len(b))
			}
		}
	})
}
