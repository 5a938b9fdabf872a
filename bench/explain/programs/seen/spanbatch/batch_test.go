package spanbatch

import "testing"

type memory struct{ spans []span }

func (m *memory) export(s []span) { m.spans = append(m.spans, s...) }

func TestShutdownFlushes(t *testing.T) {
	out := &memory{}
	b := New(out, 8)
	for i, name := range []string{"GET /", "query"} {
		b.Record(span{i, name})
	}
	b.Shutdown()
	if len(out.spans) != 2 {
		t.Errorf("exported %d spans, want 2", len(out.spans))
	}
}
