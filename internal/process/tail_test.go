package process

import (
	"bytes"
	"strings"
	"testing"
)

func TestTail(t *testing.T) {
	var short Tail
	short.Write([]byte("all of "))
	short.Write([]byte("it"))
	if short.String() != "all of it" {
		t.Errorf("got %q", short.String())
	}
	var long Tail
	long.Write([]byte("the beginning\n"))
	for range 64 {
		if n, err := long.Write(bytes.Repeat([]byte("x"), tailSize/16)); n != tailSize/16 || err != nil {
			t.Fatalf("wrote %d, %v", n, err)
		}
	}
	long.Write([]byte("\nthe end"))
	got := long.String()
	if !strings.HasPrefix(got, "the beginning\n") || !strings.HasSuffix(got, "\nthe end") || !strings.Contains(got, "\n[...]\n") {
		t.Error("the beginning, the end or the mark between them is missing")
	}
	if len(got) > 2*tailSize {
		t.Errorf("%d bytes are kept", len(got))
	}
}
