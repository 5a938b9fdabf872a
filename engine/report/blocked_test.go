package report

import "testing"

// Who waits for what is told apart as long as it tells something.
func TestGather(t *testing.T) {
	at := func(g, on, holder string, line int) Blocked {
		return Blocked{Place: Place{Goroutine: g, File: "pool.go", Line: line}, On: on, Holder: holder}
	}
	few := Gather([]Blocked{at("a", "lock left", "b", 7), at("b", "lock right", "a", 7), at("main", "wait wg", "", 9)})
	if len(few) != 3 || few[0].Count != 0 || few[0].String() != "a waits at pool.go:7: lock left, held by b" {
		t.Errorf("%v", few)
	}
	var all []Blocked
	for range 1500 {
		all = append(all, at("w", "receive from ch", "", 31))
	}
	all = append(all, at("main", "wait wg", "", 9))
	if many := Gather(all); len(many) != 2 || many[0].String() != "1,500 goroutines wait at pool.go:31: receive from ch" {
		t.Errorf("%v", many)
	}
	all = nil
	for i := range 20 {
		all = append(all, at("w", "lock mu#"+string(rune('a'+i)), "", 31))
	}
	if many := Gather(all); len(many) != 1 || many[0].Count != 20 {
		t.Errorf("%v", many)
	}
}
