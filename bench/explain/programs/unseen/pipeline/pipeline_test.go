package pipeline

import "testing"

func TestPipeline(t *testing.T) {
	p := Start("one two")
	<-p.begun
	p.Abort()
	if n := p.Written(); n > 2 {
		t.Errorf("%d lines", n)
	}
}
