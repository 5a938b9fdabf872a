package breakfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

const whatToDo = "fix it, take an older one from version control, or delete it and set the breakpoints again"

// damaged says in one line why data, the content of path, can't be read.
func damaged(err error, data []byte, path string) error {
	if marker, line := conflictMarker(data); line > 0 {
		return fmt.Errorf("%s has conflict markers of a merge (%s) at line %d: resolve the merge", path, marker, line)
	}
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
		return fmt.Errorf("%s is in UTF-16; save it as UTF-8", path)
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		line, col := lineColumn(data, min(max(int(syntax.Offset)-1, 0), len(data)))
		return fmt.Errorf("%s:%d:%d is damaged: %w; %s", path, line, col, err, whatToDo)
	}
	// Errors of nested objects count from these, so the value is looked for anew.
	if m := mismatched(data, 0, reflect.TypeFor[File](), "the file", ""); m != nil {
		line, col := lineColumn(data, m.at)
		return fmt.Errorf("%s:%d:%d: %s; %s", path, line, col, m.what, whatToDo)
	}
	return fmt.Errorf("%s is damaged: %w; %s", path, err, whatToDo)
}

// conflictMarker finds the first line that version control left of a merge with
// conflicts; JSON has no such line. The line is 0 if there is none.
func conflictMarker(data []byte) (marker string, line int) {
	n := 0
	for text := range bytes.Lines(data) {
		n++
		for _, m := range []string{"<<<<<<<", "|||||||", "=======", ">>>>>>>"} {
			if rest, ok := bytes.CutPrefix(text, []byte(m)); ok && (len(rest) == 0 || rest[0] == ' ' || rest[0] == '\r' || rest[0] == '\n') {
				return m, n
			}
		}
	}
	return "", 0
}

// mismatch is a value of another type than the format has there.
type mismatch struct {
	at   int // offset in the file
	what string
}

// mismatched finds the first value in raw, valid JSON that starts at an offset
// of the file, that a type can't hold; nil if there is none. name is what it is
// called, owner the breakpoint or object that has it, "" for the file.
func mismatched(raw []byte, at int, t reflect.Type, name, owner string) *mismatch {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	got := typeOf(raw)
	switch want, is := wanted(t); {
	case t == reflect.TypeFor[json.RawMessage]() || got == "null":
		return nil
	case got != want:
		return &mismatch{at, fmt.Sprintf("%s is %s; it must be %s", called(name, owner), article(got), article(want))}
	case is && json.Unmarshal(raw, reflect.New(t).Interface()) != nil:
		return &mismatch{at, fmt.Sprintf("%s is %s; it must be a whole number", called(name, owner), raw)}
	}
	switch t.Kind() {
	case reflect.Struct:
		return mismatchedField(raw, at, t, owner)
	case reflect.Slice:
		return mismatchedElement(raw, at, t, name, owner)
	}
	return nil
}

func mismatchedField(raw []byte, at int, t reflect.Type, owner string) *mismatch {
	if t == reflect.TypeFor[Breakpoint]() {
		owner = nameOf(raw, owner)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	for _, err := dec.Token(); err == nil && dec.More(); {
		key, _ := dec.Token() // raw is valid
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return nil
		}
		if f, ok := fieldOf(t, fmt.Sprint(key)); ok {
			if m := mismatched(value, at+int(dec.InputOffset())-len(value), f, strconv.Quote(fmt.Sprint(key)), owner); m != nil {
				return m
			}
		}
	}
	return nil
}

func mismatchedElement(raw []byte, at int, t reflect.Type, name, owner string) *mismatch {
	dec := json.NewDecoder(bytes.NewReader(raw))
	_, err := dec.Token()
	for i := 1; err == nil && dec.More(); i++ {
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return nil
		}
		element, of := fmt.Sprintf("element %d of %s", i, name), owner
		if t.Elem() == reflect.TypeFor[*Breakpoint]() {
			of = fmt.Sprintf("breakpoint %d of the list", i)
		}
		if m := mismatched(value, at+int(dec.InputOffset())-len(value), t.Elem(), element, of); m != nil {
			return m
		}
	}
	return nil
}

// nameOf is the id of a breakpoint, or else what it is called.
func nameOf(raw []byte, other string) string {
	var b struct {
		ID json.RawMessage `json:"id"`
	}
	var id string
	if json.Unmarshal(raw, &b) == nil && json.Unmarshal(b.ID, &id) == nil && id != "" {
		return id
	}
	return other
}

func called(name, owner string) string {
	if owner == "" || strings.HasPrefix(name, "element") && strings.HasPrefix(owner, "breakpoint ") {
		return name
	}
	return name + " of " + owner
}

func fieldOf(t reflect.Type, name string) (reflect.Type, bool) {
	for i := range t.NumField() {
		own, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if own != "" && strings.EqualFold(own, name) {
			return t.Field(i).Type, true
		}
	}
	return nil, false
}

// typeOf names the type of a JSON value.
func typeOf(raw []byte) string {
	switch raw = bytes.TrimSpace(raw); {
	case len(raw) == 0:
		return "nothing"
	case raw[0] == '{':
		return "object"
	case raw[0] == '[':
		return "list"
	case raw[0] == '"':
		return "string"
	case raw[0] == 't' || raw[0] == 'f':
		return "boolean"
	case raw[0] == 'n':
		return "null"
	}
	return "number"
}

// wanted names the JSON type that a field has, and whether it is an integer.
func wanted(t reflect.Type) (name string, integer bool) {
	switch t.Kind() {
	case reflect.Struct:
		return "object", false
	case reflect.Slice:
		return "list", false
	case reflect.Bool:
		return "boolean", false
	case reflect.Int:
		return "number", true
	}
	return "string", false
}

func article(noun string) string {
	if noun == "object" {
		return "an object"
	}
	return "a " + noun
}
