package source

import "testing"

func TestReaches(t *testing.T) {
	const text = `package m

func f(c, d chan int) {
	defer done()
	for range c {
		if bad() {
			wait()
			return
		}
		if odd() {
			wait()
			continue
		}
		d <- 1
	}
	select {
	case <-c:
		wait()
	case <-d:
		other()
	}
	last()
}
`
	fn := NewFiles(func(string) ([]byte, error) { return []byte(text), nil }).File("m.go").Func("m.f", 3)
	for _, c := range []struct {
		from, to int
		want     bool
		why      string
	}{
		{14, 5, true, "round the loop"},
		{11, 5, true, "continue goes round"},
		{7, 5, false, "it returns before the next round"},
		{7, 22, false, "it returns before what follows"},
		{7, 4, true, "deferred"},
		{18, 20, false, "another case"},
		{18, 22, true, "after the select"},
		{22, 18, false, "behind it"},
		{22, 5, false, "the loop has ended"},
		{14, 22, true, "after the loop"},
	} {
		if got := fn.Reaches(c.from, c.to); got != c.want {
			t.Errorf("from %d to %d: %v, want %v: %s", c.from, c.to, got, c.want, c.why)
		}
	}
}
