package protocol

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	lsp "go.lsp.dev/protocol"
)

// Marshal encodes a value of the protocol, or any other value as encoding/json
// does. A nil pointer is null, a nil slice an empty array.
func Marshal(v any) ([]byte, error) {
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Invalid:
		return []byte("null"), nil
	case reflect.Pointer, reflect.Map, reflect.Interface:
		if r.IsNil() {
			return []byte("null"), nil
		}
	case reflect.Slice:
		if raw, ok := v.(json.RawMessage); ok && len(raw) > 0 {
			return raw, nil
		}
		if r.IsNil() {
			return []byte("[]"), nil
		}
	}
	b, err := marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return b, nil
}

// marshal leaves to go.lsp.dev what is its own: it gives other meanings to the
// tags of everybody else's types (omitempty keeps zero numbers there).
func marshal(v any) ([]byte, error) {
	t := reflect.TypeOf(v)
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice && t.PkgPath() == "" {
		t = t.Elem()
	}
	if strings.HasPrefix(t.PkgPath(), "go.lsp.dev/") {
		return lsp.Marshal(v)
	}
	return json.Marshal(v)
}

// Unmarshal decodes JSON into a value of the protocol, unions included. Invalid
// UTF-8 becomes U+FFFD.
func Unmarshal(data []byte, v any) error {
	return lsp.Unmarshal(data, v)
}

// Any encodes a value for a field of type LSPAny. It panics for values that no
// JSON exists for, such as channels.
func Any(v any) LSPAny {
	b, err := Marshal(v)
	if err != nil {
		panic(err)
	}
	return LSPAny(b)
}
