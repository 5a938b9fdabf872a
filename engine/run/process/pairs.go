package process

import (
	"encoding/binary"

	"github.com/hocket-dev/hocket/engine/rt"
	"github.com/hocket-dev/hocket/engine/run"
)

// pairs reads the table of reads-from pairs, nil if it was not kept.
func (f *runFile) pairs() []run.ReadsFrom {
	slots := int(f.word(rt.WPairCap))
	if f.word(rt.WPairLen) == 0 {
		return nil
	}
	out := make([]run.ReadsFrom, 0, f.used(rt.WPairOff))
	for i := range slots {
		e := f.entry(rt.WPairOff, rt.PairSize, i)
		w := binary.LittleEndian.Uint64(e)
		if w == 0 {
			continue
		}
		out = append(out, run.ReadsFrom{
			ID: w >> rt.PairCountBits, Times: run.PairTimesOf(int(w & (1<<rt.PairCountBits - 1))),
			Segment: int(binary.LittleEndian.Uint32(e[8:])), Count: binary.LittleEndian.Uint32(e[12:]),
		})
	}
	run.SortPairs(out)
	return out
}
