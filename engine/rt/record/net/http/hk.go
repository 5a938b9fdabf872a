//go:build hocket_overlay

package http

import (
	"cmp"
	"slices"
)

// hkInOrder lists connections in the order in which they came. The order of a map whose
// keys are pointers is another one in each run.
func hkInOrder(conns map[*conn]struct{}) []*conn {
	out := make([]*conn, 0, len(conns))
	for c := range conns {
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b *conn) int { return cmp.Compare(a.hkSeq, b.hkSeq) })
	return out
}
