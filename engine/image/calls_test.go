package image

import (
	"encoding/binary"
	"slices"
	"testing"
)

func TestCalls(t *testing.T) {
	word := func(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }
	back := int32(-0x20)
	for _, c := range []struct {
		name  string
		arch  arch
		code  []byte
		entry map[uint64]string
		want  []Call
	}{
		{"amd64", amd64, slices.Concat([]byte{0x90, 0xE8}, word(0x10), []byte{0xE8}, word(uint32(back)), []byte{0x90}),
			map[uint64]string{0x1016: "a", 0xFEB: "b"}, []Call{{6, "a"}, {11, "b"}}},
		{"amd64, not of a function", amd64, slices.Concat([]byte{0xE8}, word(0x10)), map[uint64]string{0x1016: "a"}, nil},
		{"amd64, cut off", amd64, []byte{0xE8, 1, 2, 3}, map[uint64]string{}, nil},
		{"arm64", arm64, slices.Concat(word(0xD503201F), word(0x94000004), word(0x97FFFFFF)),
			map[uint64]string{0x1014: "a", 0x1004: "b"}, []Call{{8, "a"}, {12, "b"}}},
	} {
		m := &Image{arch: c.arch, code: c.code, addr: 0x1000, start: 0x1000, entry: c.entry}
		if got := m.Calls(Func{Size: uint64(len(c.code))}); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestFuncAt(t *testing.T) {
	m := &Image{start: 0x1000, funcs: []symbol{{"a", 0x1000, 0x10}, {"b", 0x1020, 0x10}}}
	for pc, want := range map[uint64]string{1: "a", 0x10: "a", 0x11: "", 0x20: "", 0x21: "b", 0x30: "b", 0x31: "", 0: ""} {
		if f, _ := m.FuncAt(pc); f.Name != want {
			t.Errorf("%#x is in %q, want %q", pc, f.Name, want)
		}
	}
}
