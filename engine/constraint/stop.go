package constraint

// pollEvery is how many steps of some 100 ns a Checker takes between two checks
// of whether it is to stop.
const pollEvery = 1 << 10

// StopWhen makes Explain, Simulate and Meets give up within a few milliseconds
// once stop is true. What they return then is of no use; the Checker still is.
// Without it, or with nil, they run to their end. Must and Writers obey it from
// the call of StopWhen on.
func (c *Checker) StopWhen(stop func() bool) {
	c.stop = stop
	c.begins()
}

// begins starts a call that StopWhen may end.
func (c *Checker) begins() {
	if c.stopped {
		c.forget() // it may have been stopped half-way
	}
	c.stopped = false
}

// stops polls whether the current call is to give up.
func (c *Checker) stops() bool {
	if c.polls++; c.polls%pollEvery == 0 && c.stop != nil && c.stop() {
		c.stopped = true
	}
	return c.stopped
}
