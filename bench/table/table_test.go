package table

import (
	"strings"
	"testing"
)

func TestColumns(t *testing.T) {
	var b strings.Builder
	tab := New(&b, "name    ", "n   ", "s", "why")
	tab.Row("a", 12, 1.25, "none")
	tab.Row("longer than its column", 3, 10.0, "")
	want := "name      n     s  why\na           12  1.2  none\nlonger than its column     3  10.0\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}
