package verify

import (
	"slices"
	"testing"

	"golang.org/x/tools/cover"
)

// TestUntaken: branches that no block covers are named, if they lie where the edit changes
// something.
func TestUntaken(t *testing.T) {
	text := []byte(`package p

func f(n int) int {
	if n < 0 {
		return 0
	}
	lock()
	if n == 1 {
		return 1
	} else {
		n++
	}
	switch n {
	case 3:
		n = 4
	}
	return n
}
`)
	block := func(from, fromCol, to, toCol, count int) cover.ProfileBlock {
		return cover.ProfileBlock{StartLine: from, StartCol: fromCol, EndLine: to, EndCol: toCol, NumStmt: 1, Count: count}
	}
	blocks := []cover.ProfileBlock{block(3, 19, 4, 11, 1), block(4, 11, 6, 3, 0), block(7, 2, 8, 12, 1),
		block(8, 12, 10, 3, 0), block(10, 8, 12, 3, 1), block(13, 2, 13, 11, 1), block(14, 9, 15, 8, 0), block(17, 2, 17, 10, 1)}
	for _, test := range []struct {
		name string
		hs   []hunk
		want []int
	}{
		{"from the first change to the last", []hunk{{7, 8, 7, 8}, {12, 13, 12, 13}}, []int{9}},
		{"to the end", []hunk{{7, 7, 7, 9}}, []int{9, 15}},
		{"before it", []hunk{{4, 4, 4, 5}}, []int{5, 9, 15}},
		{"another function", []hunk{{20, 20, 20, 21}}, nil},
	} {
		if got := untakenIn(text, test.hs, blocks); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
	if got := untakenIn(text, []hunk{{7, 7, 7, 9}}, nil); got != nil {
		t.Errorf("without a profile: got %v", got)
	}
}

func TestBranches(t *testing.T) {
	for _, test := range []struct {
		lines []string
		want  string
	}{
		{[]string{"3"}, "the branch at line 3"},
		{[]string{"3", "5"}, "the branches at lines 3 and 5"},
		{[]string{"3", "5", "8", "9"}, "the branches at lines 3, 5, 8 and 1 other"},
	} {
		if got := branches(test.lines); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
