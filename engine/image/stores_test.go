package image

import "testing"

// TestStoreSize: what counts is the only store after the call of a hook, if it is to the
// address that the hook is called with, and nothing but a call comes after it.
func TestStoreSize(t *testing.T) {
	call, movl, movb := []byte{0xe8, 0, 0, 0, 0}, []byte{0xc7, 0x00, 1, 0, 0, 0}, []byte{0xc6, 0x00, 1}
	spill := []byte{0x48, 0x89, 0x44, 0x24, 0x10}   // MOVQ AX, 16(SP)
	load := []byte{0x48, 0x8b, 0x44, 0x24, 0x10}    // MOVQ 16(SP), AX
	third := []byte{0x48, 0x8d, 0x40, 0x08}         // LEAQ 8(AX), AX
	movq := []byte{0x48, 0x89, 0x08}                // MOVQ CX, (AX)
	second := []byte{0x48, 0x89, 0x48, 0x08}        // MOVQ CX, 8(AX)
	global := []byte{0x48, 0x8d, 0x05, 0, 1, 0, 0}  // LEAQ 256(IP), AX
	same := []byte{0x48, 0x89, 0x0d, 0xf4, 0, 0, 0} // MOVQ CX, 244(IP)
	inc := []byte{0x48, 0xff, 0x00}                 // INCQ (AX)
	movups := []byte{0x0f, 0x11, 0x00}              // MOVUPS X0, (AX)
	cmp := []byte{0x83, 0x3d, 0, 1, 0, 0, 0}        // CMPL 256(IP), $0
	jne := []byte{0x75, 0x10}
	plain := [][]byte{spill, call}
	field := [][]byte{spill, third, call}
	for name, c := range map[string]struct {
		hook, code [][]byte
		want       int
	}{
		"a constant":             {plain, [][]byte{load, movl, call}, 4},
		"a byte":                 {plain, [][]byte{load, spill, movb, call}, 1},
		"a register":             {plain, [][]byte{load, movq, spill, call}, 8},
		"an increment":           {plain, [][]byte{load, inc, call}, 8},
		"a field":                {field, [][]byte{load, second, call}, 8},
		"a global":               {[][]byte{global, call}, [][]byte{same, call}, 8},
		"another global":         {[][]byte{global, call}, [][]byte{load, movq, call}, 0},
		"before a field":         {field, [][]byte{load, movq, call}, 0},
		"after it":               {plain, [][]byte{load, second, call}, 0},
		"to where is not known":  {plain, [][]byte{movq, call}, 0},
		"two words":              {plain, [][]byte{load, movq, second, call}, 0},
		"sixteen bytes":          {plain, [][]byte{load, movups, call}, 0},
		"a word, and sixteen":    {plain, [][]byte{load, movq, movups, call}, 0},
		"with a write barrier":   {plain, [][]byte{load, jne, movq, call}, 0},
		"a word, then a barrier": {plain, [][]byte{load, movq, cmp, jne, second, call}, 0},
		"none before a call":     {plain, [][]byte{load, spill, call, movq}, 0},
	} {
		m := &Image{arch: amd64, start: 0x1000, addr: 0x1000}
		for _, b := range c.hook {
			m.code = append(m.code, b...)
		}
		after := uint64(len(m.code))
		for _, b := range c.code {
			m.code = append(m.code, b...)
		}
		m.funcs = []symbol{{"f", 0x1000, uint64(len(m.code))}}
		if got := m.StoreSize(after); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
		m.arch = arm64
		if got := m.StoreSize(after); got != 0 {
			t.Errorf("%s, of another machine: %d", name, got)
		}
	}
}
