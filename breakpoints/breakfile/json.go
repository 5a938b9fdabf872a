package breakfile

import (
	"bytes"
	"encoding/json"
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
	return decodeObject(data, (*plain)(f), &f.extra)
}

func (f *File) MarshalJSON() ([]byte, error) {
	type plain File
	return encodeObject((*plain)(f), f.extra)
}

func (b *Breakpoint) UnmarshalJSON(data []byte) error {
	type plain Breakpoint
	return decodeObject(data, (*plain)(b), &b.extra)
}

func (b *Breakpoint) MarshalJSON() ([]byte, error) {
	type plain Breakpoint
	return encodeObject((*plain)(b), b.extra)
}

func (p *Place) UnmarshalJSON(data []byte) error {
	type plain Place
	return decodeObject(data, (*plain)(p), &p.extra)
}

func (p Place) MarshalJSON() ([]byte, error) {
	type plain Place
	return encodeObject((*plain)(&p), p.extra)
}

func (s *Schedule) UnmarshalJSON(data []byte) error {
	type plain Schedule
	return decodeObject(data, (*plain)(s), &s.extra)
}

func (s *Schedule) MarshalJSON() ([]byte, error) {
	type plain Schedule
	return encodeObject((*plain)(s), s.extra)
}

// decodeObject decodes an object into the struct that into points at, and keeps the
// fields that the struct has not.
func decodeObject(data []byte, into any, extra *map[string]json.RawMessage) error {
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

// encodeObject encodes a struct, then the fields that it has not, sorted.
func encodeObject(v any, extra map[string]json.RawMessage) ([]byte, error) {
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

// decode reads a file's content. The errors say where, and what then. A byte
// order mark, which some editors write, is passed over, and so not written again.
// What is wrong with a single breakpoint is for File.Check to say.
func decode(data []byte, path string) (*File, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	f := &File{}
	if err := json.Unmarshal(data, f); err != nil {
		return nil, damaged(err, data, path)
	}
	if f.Version > Version {
		return nil, fmt.Errorf("%s is of a newer hocket (format %d, this one reads %d); update hocket", path, f.Version, Version)
	}
	if f.Version < 1 {
		return nil, fmt.Errorf("%s:1:1 is damaged: it has no \"version\": %d; %s", path, Version, whatToDo)
	}
	for i, b := range f.Breakpoints {
		if b == nil {
			return nil, fmt.Errorf("%s is damaged: breakpoint %d of the list is null; %s", path, i+1, whatToDo)
		}
	}
	return f, nil
}
