package image

import "testing"

// TestStoreSize: what counts is the first store after an address that is none to the
// stack, if it is the only one before the next call.
func TestStoreSize(t *testing.T) {
	call, movl, movb := []byte{0xe8, 0, 0, 0, 0}, []byte{0xc7, 0x00, 1, 0, 0, 0}, []byte{0xc6, 0x00, 1}
	spill := []byte{0x48, 0x89, 0x44, 0x24, 0x10} // MOVQ AX, 16(SP)
	load := []byte{0x48, 0x8b, 0x44, 0x24, 0x10}  // MOVQ 16(SP), AX
	movq := []byte{0x48, 0x89, 0x08}              // MOVQ CX, (AX)
	second := []byte{0x48, 0x89, 0x48, 0x08}      // MOVQ CX, 8(AX)
	inc := []byte{0x48, 0xff, 0x00}               // INCQ (AX)
	movups := []byte{0x0f, 0x11, 0x00}            // MOVUPS X0, (AX)
	jne := []byte{0x75, 0x10}
	for name, c := range map[string]struct {
		code [][]byte
		want int
	}{
		"a constant":           {[][]byte{load, movl, call}, 4},
		"a byte":               {[][]byte{spill, movb, call}, 1},
		"a register":           {[][]byte{movq, spill, call}, 8},
		"an increment":         {[][]byte{inc, call}, 8},
		"two words":            {[][]byte{movq, second, call}, 0},
		"sixteen bytes":        {[][]byte{movups, call}, 0},
		"with a write barrier": {[][]byte{load, jne, movq, call}, 0},
		"none before a call":   {[][]byte{spill, call, movq}, 0},
	} {
		m := &Image{arch: amd64, start: 0x1000, addr: 0x1000}
		for _, b := range c.code {
			m.code = append(m.code, b...)
		}
		if got := m.StoreSize(0); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
		m.arch = arm64
		if got := m.StoreSize(0); got != 0 {
			t.Errorf("%s, of another machine: %d", name, got)
		}
	}
}
