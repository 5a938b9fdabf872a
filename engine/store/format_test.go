package store

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// testdata/format2.json is a finding as the last Hocket without sites wrote it,
// with program counters of its build in the schedule.
func TestFormat2(t *testing.T) {
	data, err := os.ReadFile("testdata/format2.json")
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, t.TempDir())
	if err := os.MkdirAll(filepath.Join(s.Dir(), "findings"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.Dir(), "findings", "0190b2da.json"), data, 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := s.Get("0190b2da")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"line#1/1,1/1 acct.go+10", "line#1/1,1/1 acct.go+7"}; !slices.Equal(r.Schedule.Hot, want) || len(r.Schedule.Segments) != 4 {
		t.Errorf("schedule %+v, want switches at %q", r.Schedule, want)
	}
	if why := r.NewReplay(r.Sources, r.GoVersion, r.Hocket).Why(); why != "found by an earlier version of hocket, whose schedules name places by line only" {
		t.Errorf("a replay that misses is told as %q", why)
	}
	// What is written again is of the present format, and the same finding.
	if err := s.Put(r, nil, nil); err != nil {
		t.Fatal(err)
	}
	again, err := s.Get("0190b2da")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(again.Schedule.Hot, r.Schedule.Hot) || again.Hash != r.Hash || again.Format != Format {
		t.Errorf("%+v, was %+v", again, r)
	}
}
