package trace

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/hocket-dev/hocket/engine/site"
)

func TestScheduleRoundTrip(t *testing.T) {
	schedules := rapid.Make[Schedule]()
	rapid.Check(t, func(t *rapid.T) {
		want := schedules.Draw(t, "schedule")
		for i := range want.Hot {
			want.Hot[i] = site.OfLine(want.Hot[i], i).String()
		}
		data, err := json.Marshal(struct{ S *Schedule }{&want})
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ S Schedule }
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatalf("%v: %s", err, data)
		}
		if d := cmp.Diff(want, got.S, cmpopts.EquateEmpty()); d != "" {
			t.Fatal(d)
		}
	})
}

func TestScheduleVersion1(t *testing.T) {
	data, err := os.ReadFile("testdata/schedule1.json")
	if err != nil {
		t.Fatal(err)
	}
	var s Schedule
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(linesOfThen, s.Hot); d != "" {
		t.Error(d)
	}
	if len(s.Segments) != 4 || s.Segments[1] != (Segment{G: 8495329374343460924, Until: 5}) || s.Procs != 4 {
		t.Errorf("%+v", s)
	}
}

func TestScheduleVersion3(t *testing.T) {
	var s Schedule
	if err := json.Unmarshal([]byte(`{"Version":3,"Segments":[{"G":1,"Until":2,"Await":true}],"Delay":5,"Procs":4}`), &s); err != nil {
		t.Fatal(err)
	}
	if want := (Schedule{Segments: []Segment{{G: 1, Until: 2, Await: true}}, Delay: 5, Procs: 4}); !cmp.Equal(want, s) {
		t.Errorf("%+v", s)
	}
}

func TestScheduleRejects(t *testing.T) {
	for text, want := range map[string]string{
		`{"Version":6}`:                     "version 6",
		`{"Version":2,"Hot":["cell.go:7"]}`: "invalid site",
		`{"Segments":7}`:                    "cannot unmarshal",
	} {
		var s Schedule
		if err := json.Unmarshal([]byte(text), &s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
