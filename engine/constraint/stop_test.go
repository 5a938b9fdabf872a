package constraint

import "testing"

// TestStopWhen: a call that is stopped looks at few more events, and the next one
// finds all there is.
func TestStopWhen(t *testing.T) {
	s := longChains(20_000, 8, 4)
	order := s.recorded()
	// Backwards all is wrong; the search for what must come before is part of it.
	for i, j := 0, len(order)-2; i < j; i, j = i+1, j-1 {
		order[i], order[j] = order[j], order[i]
	}
	c := NewChecker(s)
	want := len(c.Explain(order, Goal{}, 200))
	for _, after := range []int{0, 1, 5, 20} {
		c := NewChecker(s)
		asked := 0
		c.StopWhen(func() bool { asked++; return asked > after })
		c.Explain(order, Goal{}, 200)
		if asked > after+1 {
			t.Errorf("it was asked %d times more after it had to stop", asked-after-1)
		}
		if asked > after {
			polls := c.polls
			c.stops()
			if c.polls > polls+1 || !c.stopped {
				t.Error("it does not know that it was stopped")
			}
		}
		c.StopWhen(nil)
		if got := len(c.Explain(order, Goal{}, 200)); got != want {
			t.Errorf("stopped after %d looks, then %d violations, want %d", after, got, want)
		}
		if _, v := c.Simulate(s.recorded()); v != nil {
			t.Error(v)
		}
	}
	c.StopWhen(func() bool { return true })
	if _, v := c.Simulate(s.recorded()); v == nil || v.Rule != "stop" {
		t.Errorf("a stopped simulation says %v", v)
	}
}
