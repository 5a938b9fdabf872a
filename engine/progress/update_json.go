package progress

import (
	"encoding/json"
	"time"
)

// wireUpdate is an Update as other processes read it: snake_case names,
// durations in whole milliseconds.
type wireUpdate struct {
	Phase     Phase   `json:"phase,omitempty"`
	Target    string  `json:"target,omitempty"`
	Targets   int     `json:"targets"`
	Reached   int     `json:"reached"`
	Done      int     `json:"done"`
	Schedules int     `json:"schedules"`
	Planned   int     `json:"planned"`
	Findings  int     `json:"findings"`
	Best      string  `json:"best,omitempty"`
	PerMinute float64 `json:"per_minute"`
	ElapsedMS int64   `json:"elapsed_ms"`
	LeftMS    int64   `json:"left_ms"`
	Message   string  `json:"message,omitempty"`
}

// MarshalJSON writes durations as elapsed_ms and left_ms; the other fields
// have their names in snake_case.
func (u Update) MarshalJSON() ([]byte, error) {
	return json.Marshal(wireUpdate{
		Phase: u.Phase, Target: u.Target, Targets: u.Targets, Reached: u.Reached, Done: u.Done, Schedules: u.Schedules, Planned: u.Planned,
		Findings: u.Findings, Best: u.Best, PerMinute: u.PerMinute,
		ElapsedMS: u.Elapsed.Milliseconds(), LeftMS: leftMS(u.Left), Message: u.Message,
	})
}

// leftMS distinguishes "there is no budget" from "none is left": less than a
// millisecond below zero must not become zero.
func leftMS(left time.Duration) int64 {
	if left < 0 {
		return -1
	}
	return left.Milliseconds()
}

// UnmarshalJSON reads what MarshalJSON writes.
func (u *Update) UnmarshalJSON(data []byte) error {
	var w wireUpdate
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	*u = Update{
		Phase: w.Phase, Target: w.Target, Targets: w.Targets, Reached: w.Reached, Done: w.Done, Schedules: w.Schedules, Planned: w.Planned,
		Findings: w.Findings, Best: w.Best, PerMinute: w.PerMinute,
		Elapsed: time.Duration(w.ElapsedMS) * time.Millisecond, Left: time.Duration(w.LeftMS) * time.Millisecond, Message: w.Message,
	}
	return nil
}
