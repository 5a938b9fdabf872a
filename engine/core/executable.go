package core

import (
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// findExecutable returns the executable of a core: the one asked for, or the one that
// the core names; and checks that it is the build that made the core. checked is false if
// the core has nothing to tell that by.
func findExecutable(h *header, asked string) (exe string, checked bool, err error) {
	if exe = asked; exe == "" {
		if exe = h.executable(); exe == "" {
			return "", false, errors.New("it does not name its executable; name that with -exe")
		}
		if !filepath.IsAbs(exe) {
			return "", false, fmt.Errorf("it names its executable as %s; name that with -exe", exe)
		}
	}
	st, err := os.Stat(exe)
	switch {
	case err != nil && asked == "":
		return "", false, fmt.Errorf("its executable %s is not on this machine; name it with -exe", exe)
	case err != nil:
		return "", false, fmt.Errorf("open the executable: %w", err)
	case !st.Mode().IsRegular():
		return "", false, fmt.Errorf("%s is no regular file; name the executable with -exe", exe)
	}
	f, err := elf.Open(exe)
	if err != nil {
		return "", false, fmt.Errorf("%s is no ELF executable; name the one of the core with -exe", exe)
	}
	defer f.Close()
	if f.Machine != h.file.Machine {
		return "", false, fmt.Errorf("it is of a program for %s, %s is for %s; name the executable that made it with -exe", machine(h.file.Machine), exe, machine(f.Machine))
	}
	same, checked, err := isBuildOf(h, f, exe)
	switch {
	case err != nil:
		return "", false, err
	case !same:
		return "", false, fmt.Errorf("%s is not the build that made it; name the executable that did with -exe (a build of the same commit and flags has the same content)", exe)
	}
	if _, err := buildinfo.ReadFile(exe); err != nil {
		return "", false, fmt.Errorf("%s was not built by Go 1.18 or later: cores of others are not read", exe)
	}
	if f.Section(".debug_info") == nil && f.Section(".zdebug_info") == nil {
		return "", false, fmt.Errorf("%s has no debug information (it was linked with -ldflags=-s or -w, or stripped); keep a build of the same commit and flags without that, and name it with -exe", exe)
	}
	return exe, checked, nil
}

// isBuildOf compares what the core has of the executable itself: its first page, which
// has the build's identity, or else a table that the linker wrote.
func isBuildOf(h *header, f *elf.File, exe string) (same, checked bool, err error) {
	file, err := os.Open(exe)
	if err != nil {
		return false, false, fmt.Errorf("open the executable: %w", err)
	}
	defer file.Close()
	want := make([]byte, firstPage)
	n, _ := file.ReadAt(want, 0)
	base := h.base()
	if f.Type == elf.ET_EXEC {
		for _, p := range f.Progs {
			if p.Type == elf.PT_LOAD && p.Off == 0 {
				base = p.Vaddr
			}
		}
	}
	have := make([]byte, n)
	if base != 0 {
		if got := h.memory(have, base); got > elfHead {
			return bytes.Equal(want[:got], have[:got]), true, nil
		}
	}
	s := f.Section(".go.buildinfo")
	if s == nil || f.Type != elf.ET_EXEC {
		return true, false, nil // nothing to compare
	}
	data, err := s.Data()
	if err != nil {
		return false, false, fmt.Errorf("read %s: %w", exe, err)
	}
	have = make([]byte, len(data))
	got := h.memory(have, s.Addr)
	return bytes.Equal(data[:got], have[:got]), got > 0, nil
}

const elfHead = 64 // bytes that all executables of a kind begin with

// machine is an architecture as GOARCH has it.
func machine(m elf.Machine) string {
	switch m {
	case elf.EM_X86_64:
		return "amd64"
	case elf.EM_AARCH64:
		return "arm64"
	case elf.EM_386:
		return "386"
	case elf.EM_RISCV:
		return "riscv64"
	case elf.EM_LOONGARCH:
		return "loong64"
	}
	return m.String()
}
