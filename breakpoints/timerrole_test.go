package breakpoints

import (
	"context"
	"testing"
	"time"
)

// Goroutines of timers, and those that the standard library starts, have roles of their
// own, by the order in which they come; others keep the root's.
func TestTimersHaveRoles(t *testing.T) {
	rs := newRoles(Plan{Steps: []Step{{ID: "a", Role: TimerRole + "1", Point: 1, Visit: 1}}})
	names := make(chan string)
	if got := rs.me().name; got != rootRole {
		t.Errorf("the test is %s", got)
	}
	for _, want := range []string{TimerRole + "1", TimerRole + "2"} {
		time.AfterFunc(0, func() {
			first, again := rs.me().name, rs.me().name
			names <- first
			names <- again
		})
		if first, again := <-names, <-names; first != want || again != want {
			t.Errorf("the goroutine of a timer is %s, then %s, want %s", first, again, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	context.AfterFunc(ctx, func() { names <- rs.me().name })
	cancel()
	if got, want := <-names, LibraryRole+"1"; got != want {
		t.Errorf("a goroutine of package context is %s, want %s", got, want)
	}
	go func() { names <- rs.me().name }()
	if got := <-names; got != rootRole {
		t.Errorf("a goroutine that nobody announced is %s", got)
	}
}
