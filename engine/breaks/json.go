package breaks

import (
	"encoding/json"

	"github.com/hocket-dev/hocket/breakpoints/breakfile"
	"github.com/hocket-dev/hocket/engine/instrument/points"
)

// breakJSON is the JSON form of a breakpoint in the answers of hocket break;
// names are never changed.
type breakJSON struct {
	ID          string          `json:"id"`
	Kind        string          `json:"kind"`
	If          string          `json:"if"`
	Order       []int           `json:"order"`
	Timeout     string          `json:"timeout"`
	IgnoreFirst int             `json:"ignore_first"`
	AtMost      int             `json:"at_most"`
	Off         bool            `json:"off"`
	Note        string          `json:"note"`
	Finding     string          `json:"finding,omitempty"` // of the finding that a schedule belongs to
	Sides       []breakSideJSON `json:"sides"`
	Last        *Last           `json:"last"`
	Wrong       string          `json:"wrong,omitempty"` // why it can't be run
}

type breakSideJSON struct {
	File      string `json:"file"` // as in findings; where it is now
	Line      int    `json:"line"` // when it was set, if it is lost
	Column    int    `json:"column"`
	EndLine   int    `json:"end_line"`
	EndColumn int    `json:"end_column"`
	Func      string `json:"func"`
	Text      string `json:"text"`
	Moved     bool   `json:"moved"`
	Changed   bool   `json:"changed"`
	Why       string `json:"why,omitempty"` // of moved and changed
	Lost      string `json:"lost"`
	Spawn     bool   `json:"spawn,omitempty"` // of a schedule: marks a goroutine's start, no goroutine waits there
}

// MarshalJSON returns the form of hocket break list -json.
func (b Break) MarshalJSON() ([]byte, error) {
	if b.Breakpoint == nil {
		return []byte("null"), nil
	}
	out := breakJSON{ID: b.ID, Kind: b.Kind, If: b.If, Order: b.Order, Timeout: b.Timeout, IgnoreFirst: b.IgnoreFirst,
		AtMost: b.AtMost, Off: b.Off, Note: b.Note, Sides: []breakSideJSON{}, Last: b.Last, Wrong: b.Wrong}
	if out.Kind == "" {
		out.Kind = breakfile.Conflict
	}
	if b.Schedule != nil {
		out.Finding = b.Schedule.Finding
	}
	if len(out.Order) == 0 {
		out.Order = []int{}
		for i := range b.Places {
			out.Order = append(out.Order, i+1)
		}
	}
	for _, s := range b.Sides {
		out.Sides = append(out.Sides, s.json())
	}
	return json.Marshal(out)
}

func (s *Side) json() breakSideJSON {
	p, l := s.Place, s.Location
	if s.Lost != "" {
		return breakSideJSON{File: p.File, Line: p.Line, Column: p.Column, EndLine: p.Line, EndColumn: p.Column,
			Func: p.Func, Text: p.Text, Lost: s.Lost, Spawn: s.MarksStart()}
	}
	return breakSideJSON{File: s.File(), Line: l.Line, Column: l.Column, EndLine: l.EndLine, EndColumn: l.EndColumn,
		Func: l.Func, Text: l.Text, Moved: l.Moved, Changed: l.Changed, Why: l.Why, Spawn: s.MarksStart()}
}

// MarshalJSON returns {"breakpoints": [...]}.
func (l Breaks) MarshalJSON() ([]byte, error) {
	list := l.Breaks
	if list == nil {
		list = []*Break{}
	}
	return json.Marshal(struct {
		Version     int      `json:"version"`
		Breakpoints []*Break `json:"breakpoints"`
	}{1, list})
}

// UnmarshalJSON reads what MarshalJSON returns. The places are where the sides
// are; their fingerprints are in the breakpoints file only, and so is Path.
func (b *Break) UnmarshalJSON(data []byte) error {
	var in breakJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*b = Break{Last: in.Last, Wrong: in.Wrong, Breakpoint: &breakfile.Breakpoint{ID: in.ID, Kind: in.Kind, If: in.If, Order: in.Order, Timeout: in.Timeout,
		IgnoreFirst: in.IgnoreFirst, AtMost: in.AtMost, Off: in.Off, Note: in.Note}}
	if in.Finding != "" {
		b.Schedule = &breakfile.Schedule{Finding: in.Finding}
	}
	for _, s := range in.Sides {
		p := breakfile.Place{File: s.File, Line: s.Line, Column: s.Column, Func: s.Func, Text: s.Text}
		if s.Spawn {
			p.Point = &breakfile.Point{Kind: string(points.Spawn)}
		}
		side := Side{Place: p, Lost: s.Lost, file: s.File}
		if s.Lost == "" {
			side.Location = breakfile.Location{Line: s.Line, Column: s.Column, EndLine: s.EndLine, EndColumn: s.EndColumn,
				Func: s.Func, Text: s.Text, Moved: s.Moved, Changed: s.Changed, Why: s.Why}
		}
		b.Places, b.Sides = append(b.Places, p), append(b.Sides, side)
	}
	return nil
}

// UnmarshalJSON reads what MarshalJSON returns; Root is left as it is.
func (l *Breaks) UnmarshalJSON(data []byte) error {
	var in struct {
		Breakpoints []*Break `json:"breakpoints"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	l.Breaks = in.Breakpoints
	return nil
}
