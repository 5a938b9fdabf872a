package trace

import "slices"

// stamps remembers, for a fixed set of addresses, the latest time at which a
// range that covers an address was stamped. Both operations take logarithmic
// time whatever the size of the range. Times must not decrease; they are
// stored plus one, 0 means never.
type stamps struct {
	addrs []uint64 // sorted, distinct
	tree  []int    // tree[n+i] is the leaf of addrs[i]
}

func newStamps(addrs []uint64) *stamps {
	slices.Sort(addrs)
	addrs = slices.Compact(addrs)
	return &stamps{addrs: addrs, tree: make([]int, 2*len(addrs))}
}

// set stamps [addr, addr+size).
func (s *stamps) set(addr, size uint64, when int) {
	end := addr + size
	if end < addr {
		end = ^uint64(0)
	}
	n := len(s.addrs)
	l, _ := slices.BinarySearch(s.addrs, addr)
	r, _ := slices.BinarySearch(s.addrs, end)
	for l, r = l+n, r+n; l < r; l, r = l/2, r/2 {
		if l&1 == 1 {
			s.tree[l] = when + 1
			l++
		}
		if r&1 == 1 {
			r--
			s.tree[r] = when + 1
		}
	}
}

// get returns the latest stamp on addr, -1 if there is none.
func (s *stamps) get(addr uint64) int {
	i, ok := slices.BinarySearch(s.addrs, addr)
	if !ok {
		return -1
	}
	last := 0
	for i += len(s.addrs); i > 0; i /= 2 {
		last = max(last, s.tree[i])
	}
	return last - 1
}
