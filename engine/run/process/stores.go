package process

import (
	"fmt"
	"slices"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// stores are the hooks at pcs, with the size of the store that comes after each in the
// highest byte, 0 if that can't wait in a buffer; none under sequential consistency.
func (p *Runner) stores(m trace.Memory, pcs []uint64) (out []uint64, err error) {
	if m == trace.SC {
		return nil, nil
	}
	img, err := p.sym.Image()
	if err != nil {
		return nil, fmt.Errorf("read the program's stores: %w", err)
	}
	for _, pc := range pcs {
		out = append(out, pc|uint64(img.StoreSize(pc))<<56)
	}
	return out, nil
}

// loose reports whether a store of the user's code raced that was not among those that
// wait, as all that race do under a weaker memory model.
func loose(r *run.Result) bool {
	if r.Schedule.Memory == trace.SC {
		return false
	}
	named := func(site string) bool {
		_, ok := slices.BinarySearch(r.Schedule.Hot, site)
		return ok
	}
	return slices.ContainsFunc(r.Races, func(p run.RacePair) bool {
		users := p.First != (trace.Frame{}) || p.Second != (trace.Frame{})
		return users && (p.FirstWrite && !named(p.FirstSite) || p.SecondWrite && !named(p.SecondSite))
	})
}
