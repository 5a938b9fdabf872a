package breakpoints

import "testing"

// Names that no New has are told from those made before and after.
func TestUnknownNames(t *testing.T) {
	New("made before")
	e := enable([]string{"made before", "made after", "typo", all})
	New("made after")
	if got := e.unknownNow(); got != ` "typo"` {
		t.Errorf("unknown:%s", got)
	}
	change(func() { registry.enables = e.next })
}

// What is enabled again counts from 0.
func TestFreshStatistics(t *testing.T) {
	b := New("fresh")
	for range 2 {
		restore := Enable("fresh")
		b.HereIf(1, false)
		if s := b.Stat(); s.Reached[0] != 1 || s.Refused[0] != 1 {
			t.Errorf("%+v", s)
		}
		restore()
	}
}
