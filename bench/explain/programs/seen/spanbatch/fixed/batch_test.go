package spanbatch

import "testing"

type memory struct {
	spans []span
	told  chan int
}

func (m *memory) export(s []span) {
	m.spans = append(m.spans, s...)
	m.told <- len(s)
}

func TestShutdownFlushes(t *testing.T) {
	out := &memory{told: make(chan int, 2)}
	b := New(out, 2)
	for i, name := range []string{"GET /", "query"} {
		b.Record(span{i, name})
	}
	<-out.told
	b.Record(span{2, "render"})
	b.Shutdown()
	if len(out.spans) != 3 {
		t.Errorf("exported %d spans, want 3", len(out.spans))
	}
}
