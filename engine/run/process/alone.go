package process

import (
	"encoding/binary"

	"github.com/hocket-dev/hocket/engine/rt"
)

// alone reports whether no goroutine of a run could run beside another, and nothing else
// was a choice, such as the case that a select takes: there were only main and those of
// tests, which whoever starts them waits for as long as none calls Parallel. All
// schedules are the same then.
func (p *Runner) alone(f *runFile) (bool, error) {
	n := f.used(rt.WGoOff)
	if f.word(rt.WParallel)+f.word(rt.WChoices) > 0 || n <= 1 || uint64(n) >= f.word(rt.WGoOff+1) {
		return false, nil
	}
	var entries []uint64
	for i := 2; i < n; i++ { // 1 is main
		entries = append(entries, binary.LittleEndian.Uint64(f.entry(rt.WGoOff, rt.GoSize, i)[16:]))
	}
	frames, err := p.sym.Entries(entries)
	if err != nil {
		return false, err
	}
	for _, frame := range frames {
		if frame.Func != "testing.tRunner" {
			return false, nil
		}
	}
	return true, nil
}
