package native

// manyBlocked is from how many goroutines on, of which one after another only
// begins to wait, their order is given up: to see of each that it is blocked
// before the next goes on would take longer than a plan may.
const manyBlocked = 32

// crowd counts the first segments that do nothing but begin to wait.
func (d *deriver) crowd(segs []segment) int {
	for i, s := range segs {
		if !d.onlyWaits(s) {
			return i
		}
	}
	return len(segs)
}

// onlyWaits reports whether the goroutine of a segment does one thing in it: it
// blocks.
func (d *deriver) onlyWaits(s segment) bool {
	n := 0
	for _, x := range d.r.opers[s.g] {
		if x.start < s.from || x.start >= s.to {
			continue
		}
		if n++; n > 1 || x.at.file == "" || x.held || !x.blocked || x.parked >= s.to || x.end >= 0 && x.end < s.to {
			return false
		}
	}
	return n == 1
}

// together makes all segments of a crowd wait for what is before them, but not
// for one another. What comes next waits for all of them.
func (d *deriver) together(before segment, crowd []segment, carried []ref) []ref {
	left := d.join(before, crowd[0], carried)
	first := d.steps[d.firstIn(crowd[0], nil)]
	for i, s := range crowd[:len(crowd)-1] {
		if end, ok := d.endOf(s); ok {
			left = append(left, end)
		}
		if first == nil {
			continue
		}
		next := d.step(d.firstIn(crowd[i+1], nil))
		for _, r := range first.after {
			if r.x.g != next.x.g {
				next.after = append(next.after, r)
			}
		}
	}
	return left
}
