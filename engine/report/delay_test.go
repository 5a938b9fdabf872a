package report

import "testing"

func TestTimeDependentInWords(t *testing.T) {
	for want, d := range map[string]TimeDependent{
		"can fail if `flush` at pool.go:31 is delayed by 2ms or more, so that the timer of pool.go:12 fires first": {
			Timer: "pool.go:12", DelayMS: 2, At: "pool.go:31", Goroutine: "flush"},
		"can fail if `a` at a.go:1 and `b` at b.go:2 are delayed by 50µs or more, so that the sleep of s.go:3 ends first": {
			Timer: "s.go:3", Sleep: true, DelayMS: 0.05, At: "a.go:1", Goroutine: "a", Others: []Place{{Goroutine: "b", File: "b.go", Line: 2}}},
		"can fail if `a` at a.go:1, `b`, `c` and 2 others are delayed by 1ms or more, so that a timer fires first, and 1 further delay like this": {
			DelayMS: 1, At: "a.go:1", Goroutine: "a", Others: []Place{{Goroutine: "b"}, {Goroutine: "c"}, {Goroutine: "d"}, {Goroutine: "e"}}, More: 1},
		"can fail if a goroutine is delayed by 1ms or more, so that a timer fires first": {DelayMS: 1},
	} {
		if got := d.String(); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}
