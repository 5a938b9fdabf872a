package server

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/internal/bug"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// TestAPanicOfAFeature is reported, and the other features go on.
func TestAPanicOfAFeature(t *testing.T) {
	bug.Tolerate(t)
	var log bytes.Buffer
	s := New(protocol.NewConn(nil, nil, nil, nil), Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	s.ended = true // no message is sent
	var called []string
	s.features = []*feature{{name: "first"}, {name: "second"}}
	s.each(func(f *feature) {
		if called = append(called, f.name); f.name == "first" {
			panic("a mistake")
		}
	})
	if len(called) != 2 {
		t.Errorf("called %v", called)
	}
	if got, err := bug.List(); len(got) != 1 || err != nil {
		t.Errorf("reports %+v, %v", got, err)
	}
	for _, want := range []string{"a mistake", "running feature first failed: internal error of Hocket"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q: %s", want, &log)
		}
	}
}
