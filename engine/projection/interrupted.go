package projection

// interruptedLate reports whether one goroutine came in between what another one had
// begun and, when the run failed, not ended.
func (a *analysis) interruptedLate() bool {
	c := a.in.Cause
	if !c.Explains() || c.Late == nil {
		return false
	}
	for _, l := range c.Core {
		if !l.Late || l.After >= len(c.Late.Events) {
			continue
		}
		late := c.Late.Goroutine(c.Late.Events[l.After].G).Path
		for _, o := range c.Core {
			if a.isOrder(o) && o.After <= l.Before && a.fail.events[o.After].G == a.fail.events[l.Before].G &&
				a.fail.Goroutine(a.fail.events[o.Before].G).Path == late {
				return true
			}
		}
	}
	return false
}
