package progress

import (
	"encoding/json"
	"testing"
	"time"
)

func TestUpdateJSON(t *testing.T) {
	u := Update{Phase: Searching, Target: "m TestX", Targets: 2, Reached: 2, Done: 1, Schedules: 12, Planned: 3000, Findings: 1, Best: "boom (a.go:3)",
		PerMinute: 2900.5, Elapsed: 1500 * time.Millisecond, Left: 2 * time.Second, Message: "found"}
	data, err := json.Marshal(u)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"phase":"searching","target":"m TestX","targets":2,"reached":2,"done":1,"schedules":12,"planned":3000,"findings":1,"best":"boom (a.go:3)","per_minute":2900.5,"elapsed_ms":1500,"left_ms":2000,"message":"found"}`
	if string(data) != want {
		t.Errorf("got  %s\nwant %s", data, want)
	}
	var back Update
	if err := json.Unmarshal(data, &back); err != nil || back != u {
		t.Errorf("%+v, %v", back, err)
	}
	data, _ = json.Marshal(Update{Left: -1})
	if err := json.Unmarshal(data, &back); err != nil || back.Left >= 0 {
		t.Errorf("no budget became %v (%v)", back.Left, err)
	}
}
