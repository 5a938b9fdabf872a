package main

import (
	"slices"
	"testing"
)

const printed = `start
==================
WARNING: DATA RACE
Read at 0x00c000012028 by goroutine 7:
  sync/atomic.AddInt64()
      /go/src/runtime/race_amd64.s:287 +0xb
  main.main.func1()
      /m/p/main.go:9 +0x44

Previous write at 0x00c000012028 by main goroutine:
  main.main()
      /m/p/main.go:7 +0xd8

Goroutine 7 (running) created at:
  main.main()
      /m/p/main.go:8 +0x104
==================
Found 1 data race(s)
`

func TestReportsOfTheGoDetector(t *testing.T) {
	if got := parseReports(printed, "/m/p"); !slices.Equal(got, []pair{{"main.go:7", "main.go:9"}}) {
		t.Errorf("%v", got)
	}
}

// Each subject has a racy program that says where, and one without races.
func TestProgramsSayWhereTheyRace(t *testing.T) {
	all, err := small(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(all); i += 2 {
		racy, free := all[i], all[i+1]
		if racy.says() != "racy" || free.says() != "no race" {
			t.Errorf("%s is %s, %s is %s", racy.name, racy.says(), free.name, free.says())
		}
	}
}

func TestJudging(t *testing.T) {
	p := program{truth: map[string]site{"a.go:1": {"x"}, "a.go:2": {"x"}, "a.go:3": {"y"}}}
	found, wrong := p.judge(map[pair]bool{{"a.go:1", "a.go:2"}: true, {"a.go:1", "a.go:3"}: true, {"a.go:4", "a.go:4"}: true})
	if !found || !slices.Equal(wrong, []string{"a.go:1/a.go:3", "a.go:4/a.go:4"}) {
		t.Errorf("%v, %v", found, wrong)
	}
}
