package replay

import (
	"encoding/binary"

	"github.com/hocket-dev/hocket/engine/rt"
)

// pairs reads the table of reads-from pairs, nil if it was not kept.
func (f *runFile) pairs() []ReadsFrom {
	slots := int(f.word(rt.WPairCap))
	if f.word(rt.WPairLen) == 0 {
		return nil
	}
	out := make([]ReadsFrom, 0, f.used(rt.WPairOff))
	for i := range slots {
		e := f.entry(rt.WPairOff, rt.PairSize, i)
		w := binary.LittleEndian.Uint64(e)
		if w == 0 {
			continue
		}
		out = append(out, ReadsFrom{
			ID: w >> rt.PairCountBits, Times: PairTimesOf(int(w & (1<<rt.PairCountBits - 1))),
			Segment: int(binary.LittleEndian.Uint32(e[8:])), Count: binary.LittleEndian.Uint32(e[12:]),
		})
	}
	SortPairs(out)
	return out
}
