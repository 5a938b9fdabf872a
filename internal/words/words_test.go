package words

import "testing"

func TestWords(t *testing.T) {
	for _, c := range [][2]string{
		{OneLine(" a\n\tb  c "), "a b c"},
		{OneLine(" \n"), ""},
		{FirstLine(" a b \r\nc"), "a b"},
		{FirstLine("a"), "a"},
		{FirstLine("\na"), ""},
		{FirstLines("\n a\nb\nc\n", 2), "a\nb"},
		{FirstLines("a\n", 2), "a"},
		{Count(0, "run"), "0 runs"},
		{Count(1, "run"), "1 run"},
		{Count(2, "run"), "2 runs"},
		{CountOf(1, "switch", "switches"), "1 switch"},
		{CountOf(2, "switch", "switches"), "2 switches"},
	} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}
