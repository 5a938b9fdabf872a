//go:build hocket_overlay

package context

// hkInOrder lists children in the order in which they were added. The order of a map
// whose keys are pointers is another one in each run.
func hkInOrder(children map[canceler]uint64) []canceler {
	out := make([]canceler, 0, len(children))
	for c := range children {
		out = append(out, c)
	}
	for gap := len(out) / 2; gap > 0; gap /= 2 {
		for i := gap; i < len(out); i++ {
			for j := i; j >= gap && children[out[j-gap]] > children[out[j]]; j -= gap {
				out[j-gap], out[j] = out[j], out[j-gap]
			}
		}
	}
	return out
}
