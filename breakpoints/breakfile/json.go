package breakfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Fields of later versions are kept: each type that is an object of the file
// holds those that it doesn't know.

func (f *File) UnmarshalJSON(data []byte) error {
	type plain File
	return open(data, (*plain)(f), &f.extra)
}

func (f *File) MarshalJSON() ([]byte, error) {
	type plain File
	return shut((*plain)(f), f.extra)
}

func (b *Breakpoint) UnmarshalJSON(data []byte) error {
	type plain Breakpoint
	return open(data, (*plain)(b), &b.extra)
}

func (b *Breakpoint) MarshalJSON() ([]byte, error) {
	type plain Breakpoint
	return shut((*plain)(b), b.extra)
}

func (p *Place) UnmarshalJSON(data []byte) error {
	type plain Place
	return open(data, (*plain)(p), &p.extra)
}

func (p Place) MarshalJSON() ([]byte, error) {
	type plain Place
	return shut((*plain)(&p), p.extra)
}

func (s *Schedule) UnmarshalJSON(data []byte) error {
	type plain Schedule
	return open(data, (*plain)(s), &s.extra)
}

func (s *Schedule) MarshalJSON() ([]byte, error) {
	type plain Schedule
	return shut((*plain)(s), s.extra)
}

// open decodes an object into the struct that into points at, and keeps the
// fields that the struct has not.
func open(data []byte, into any, extra *map[string]json.RawMessage) error {
	if err := json.Unmarshal(data, into); err != nil {
		return err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	known := fields(reflect.TypeOf(into).Elem())
	maps.DeleteFunc(all, func(name string, _ json.RawMessage) bool { return known[strings.ToLower(name)] })
	if *extra = nil; len(all) > 0 {
		*extra = all
	}
	return nil
}

// fields are the names of a struct's fields in JSON; those are matched
// whatever their case.
func fields(t reflect.Type) map[string]bool {
	out := map[string]bool{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		out[strings.ToLower(name)] = name != ""
	}
	return out
}

// shut encodes a struct, then the fields that it has not, sorted.
func shut(v any, extra map[string]json.RawMessage) ([]byte, error) {
	data, err := encode(v)
	if err != nil || len(extra) == 0 {
		return data, err
	}
	data = bytes.TrimSuffix(data, []byte("}"))
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if len(data) > 1 {
			data = append(data, ',')
		}
		quoted, err := encode(name)
		if err != nil {
			return nil, err
		}
		data = append(append(append(data, quoted...), ':'), extra[name]...)
	}
	return append(data, '}'), nil
}

// encode keeps "<" and "&" as they are: people read the file.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// format writes a file: a field a line, sorted by id.
func format(f *File) ([]byte, error) {
	if f.Breakpoints == nil {
		f.Breakpoints = []*Breakpoint{}
	}
	slices.SortStableFunc(f.Breakpoints, func(a, b *Breakpoint) int { return compareIDs(a.ID, b.ID) })
	data, err := encode(f)
	if err != nil {
		return nil, fmt.Errorf("encode the breakpoints: %w", err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, data, "", "  "); err != nil {
		return nil, fmt.Errorf("encode the breakpoints: %w", err)
	}
	return append(b.Bytes(), '\n'), nil
}

// decode reads a file's content. The errors say where, and what then.
func decode(data []byte, path string) (*File, error) {
	const out = "mend it, take an older one from version control, or delete it and set the breakpoints again"
	f := &File{}
	if err := json.Unmarshal(data, f); err != nil {
		if bytes.Contains(data, []byte("<<<<<<<")) && bytes.Contains(data, []byte(">>>>>>>")) {
			return nil, fmt.Errorf("%s has the marks of a merge with conflicts; resolve it", path)
		}
		line, col := lineColumn(data, offsetOf(err, data))
		return nil, fmt.Errorf("%s:%d:%d is damaged: %w; %s", path, line, col, err, out)
	}
	if f.Version > Version {
		return nil, fmt.Errorf("%s is of a newer hocket (format %d, this one reads %d); update hocket", path, f.Version, Version)
	}
	if f.Version < 1 {
		return nil, fmt.Errorf("%s:1:1 is damaged: it has no \"version\": %d; %s", path, Version, out)
	}
	seen := map[string]bool{}
	for i, b := range f.Breakpoints {
		switch {
		case b == nil || !validID(b.ID):
			return nil, fmt.Errorf("%s is damaged: breakpoint %d of the list has no id such as \"b1\"; %s", path, i+1, out)
		case seen[b.ID]:
			return nil, fmt.Errorf("%s has two breakpoints with the id %q, perhaps after a merge; give one of them another id", path, b.ID)
		}
		seen[b.ID] = true
	}
	return f, nil
}

// offsetOf is where an error of decoding is.
func offsetOf(err error, data []byte) int {
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	at := 0
	switch {
	case errors.As(err, &syntax):
		at = int(syntax.Offset) - 1
	case errors.As(err, &mismatch):
		at = culprit(data)
	}
	return min(max(at, 0), len(data))
}

// culprit is where the first breakpoint is that can't be decoded: an error of
// a nested object counts from that object.
func culprit(data []byte) int {
	dec := json.NewDecoder(bytes.NewReader(data))
	for depth := 0; ; {
		token, err := dec.Token()
		if err != nil {
			return 0
		}
		switch token {
		case json.Delim('{'):
			depth++
		case json.Delim('}'):
			depth--
		case "breakpoints":
			if depth != 1 {
				continue
			}
			if open, err := dec.Token(); err != nil || open != json.Delim('[') {
				return int(dec.InputOffset())
			}
			for dec.More() {
				var raw json.RawMessage
				if dec.Decode(&raw) != nil {
					return 0
				}
				if json.Unmarshal(raw, &Breakpoint{}) != nil {
					return int(dec.InputOffset()) - len(raw)
				}
			}
			return 0
		}
	}
}
