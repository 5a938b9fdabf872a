package debug

import (
	"debug/elf"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/hocket-dev/hocket/engine/trace"
)

func TestCarry(t *testing.T) {
	f := func(line int, outer ...string) []trace.Frame {
		fs := []trace.Frame{{Func: "m.get", File: "/m/a.go", Line: line}}
		for _, o := range outer {
			fs = append(fs, trace.Frame{Func: o, File: "/m/a.go", Line: 99})
		}
		return fs
	}
	const r, w = "runtime.raceread", "runtime.racewrite"
	old := []hook{
		{10, r, f(5, "m.one")}, {20, r, f(5, "m.one")}, {30, w, f(5, "m.one")}, // inlined
		{40, r, f(5, "m.two")}, {50, r, f(5, "m.two")}, {60, w, f(5, "m.two")}, // again
		{70, r, f(6)}, {80, r, f(7)},
	}
	now := []hook{{1, r, f(5)}, {2, r, f(5)}, {3, w, f(5)}, {4, r, f(6)}, {5, r, f(6)}}
	for _, c := range []struct {
		name string
		pcs  []uint64
		want []uint64
	}{
		{"the second of two reads", []uint64{20}, []uint64{2}},
		{"both copies of a function", []uint64{20, 50}, []uint64{2}},
		{"the write", []uint64{60}, []uint64{3}},
		{"another number of hooks: all", []uint64{70}, []uint64{4, 5}},
		{"no code any more", []uint64{80}, nil},
		{"of another build", []uint64{11}, nil},
	} {
		if got := carry(c.pcs, old, now); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestCalls(t *testing.T) {
	word := func(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }
	back := int32(-0x20)
	for _, c := range []struct {
		name string
		arch elf.Machine
		code []byte
		want []uint64 // ret, to
	}{
		{"amd64", elf.EM_X86_64, slices.Concat([]byte{0x90, 0xE8}, word(0x10), []byte{0xE8}, word(uint32(back)), []byte{0x90}), []uint64{6, 0x1016, 11, 0xFEB}},
		{"amd64, cut off", elf.EM_X86_64, []byte{0xE8, 1, 2, 3}, nil},
		{"arm64", elf.EM_AARCH64, slices.Concat(word(0xD503201F), word(0x94000004), word(0x97FFFFFF)), []uint64{8, 0x1014, 12, 0x1004}},
	} {
		m := &image{arch: c.arch, code: c.code, addr: 0x1000, start: 0x1000}
		var got []uint64
		m.calls(func(ret, to uint64) { got = append(got, ret, to) })
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %#x, want %#x", c.name, got, c.want)
		}
	}
}
