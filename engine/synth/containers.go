package synth

import (
	"golang.org/x/tools/go/ssa"

	"github.com/hocket-dev/hocket/engine/trace"
)

// Operations of sync.Map and sync.Pool are one step each, of the whole.

// content is what a sync.Map or sync.Pool holds.
type content struct {
	m    mapping
	free []value // of a pool, the last one given back at the end
}

func (f *frame) contentOf(p ptr) *content {
	k := cellKey{p.p, "content"}
	c, ok := f.e.syncs[k].(*content)
	if !ok {
		c = &content{m: mapping{at: map[any]int{}}}
		f.e.syncs[k] = c
	}
	return c
}

// whole performs an operation.
func (f *frame) whole(p ptr, kind trace.Op, do func(c *content)) {
	f.beforeMain()
	f.at()
	cell := f.cell(p, "whole", nil)
	f.g.t.Atomic(kind, cell, func() (uint64, uint64) {
		do(f.contentOf(p))
		return 0, 0
	})
}

func (m *mapping) find(key value) (v value, ok bool) {
	if i, ok := m.at[keyOf(key)]; ok {
		return m.vals[i], true
	}
	return iface{}, false
}

func (m *mapping) put(key, v value) {
	k := keyOf(key)
	if i, ok := m.at[k]; ok {
		m.vals[i] = v
		return
	}
	m.at[k] = len(m.keys)
	m.keys, m.vals, m.live = append(m.keys, key), append(m.vals, v), append(m.live, true)
	m.n++
}

// syncMap is a method of sync.Map.
func syncMap(f *frame, fn *ssa.Function, args []value) (out value) {
	p := f.pointer(args[0])
	switch fn.Name() {
	case "Load":
		f.whole(p, trace.OpMapRead, func(c *content) {
			v, ok := c.m.find(args[1])
			out = tuple{v, ok}
		})
	case "Store":
		f.whole(p, trace.OpMapWrite, func(c *content) { c.m.put(args[1], args[2]) })
	case "LoadOrStore":
		f.whole(p, trace.OpMapWrite, func(c *content) {
			v, ok := c.m.find(args[1])
			if !ok {
				v = args[2]
				c.m.put(args[1], v)
			}
			out = tuple{v, ok}
		})
	case "LoadAndDelete", "Delete":
		f.whole(p, trace.OpMapWrite, func(c *content) {
			v, ok := c.m.find(args[1])
			c.m.remove(args[1])
			if fn.Name() != "Delete" {
				out = tuple{v, ok}
			}
		})
	case "Swap":
		f.whole(p, trace.OpMapWrite, func(c *content) {
			v, ok := c.m.find(args[1])
			c.m.put(args[1], args[2])
			out = tuple{v, ok}
		})
	case "CompareAndSwap":
		f.whole(p, trace.OpMapWrite, func(c *content) {
			v, ok := c.m.find(args[1])
			if ok = ok && equal(v, args[2]); ok {
				c.m.put(args[1], args[3])
			}
			out = ok
		})
	default:
		panic(unmodelled{"sync.Map." + fn.Name()})
	}
	return out
}

// syncPool is a method of sync.Pool: what was given back last comes first, as long as
// no pool is emptied.
func syncPool(f *frame, fn *ssa.Function, args []value) (out value) {
	p := f.pointer(args[0])
	if fn.Name() == "Put" {
		f.whole(p, trace.OpPoolPut, func(c *content) { c.free = append(c.free, args[1]) })
		return nil
	}
	f.whole(p, trace.OpPoolGet, func(c *content) {
		if n := len(c.free); n > 0 {
			out, c.free = c.free[n-1], c.free[:n-1]
		}
	})
	if out != nil {
		return out
	}
	s, ok := (*p.p).(structure)
	if !ok {
		f.notKnown(*p.p)
	}
	c, ok := s[len(s)-1].(*closure) // New
	if !ok || c == nil {
		return iface{}
	}
	return f.run1(callee{fn: c.fn, env: c.env, does: c.does}, nil, nil)
}
