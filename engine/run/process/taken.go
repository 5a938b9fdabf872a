package process

import (
	"encoding/binary"

	"github.com/hocket-dev/hocket/engine/rt"
	"github.com/hocket-dev/hocket/engine/run"
)

// taken reads the outcomes of branches, nil if none was told.
func (f *runFile) taken() []run.Taken {
	n := f.used(rt.WBranchOff)
	if n == 0 {
		return nil
	}
	out := make([]run.Taken, 0, n)
	for i := range n {
		e := f.entry(rt.WBranchOff, rt.BranchSize, i)
		gid, outcome := int(binary.LittleEndian.Uint32(e)), binary.LittleEndian.Uint32(e[4:])
		if gid >= f.used(rt.WGoOff) || outcome < 2 {
			continue // half written
		}
		out = append(out, run.Taken{
			G: binary.LittleEndian.Uint64(f.entry(rt.WGoOff, rt.GoSize, gid)), Outcome: outcome - 2,
			Count: binary.LittleEndian.Uint32(e[8:]),
		})
	}
	return out
}
