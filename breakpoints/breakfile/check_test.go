package breakfile

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const twoPlaces = `"places": [{"file": "a.go", "line": 3}, {"file": "a.go", "line": 3}]`

// TestCheck: what hands do to a breakpoint is named by field and value.
func TestCheck(t *testing.T) {
	for text, want := range map[string]string{
		`"timeout": "0s"`:    "timeout 0s must be above zero; leave it out for 100ms",
		`"timeout": "-1ms"`:  "timeout -1ms must be above zero; leave it out for 100ms",
		`"timeout": "abc"`:   "timeout abc is not a valid duration; use a number with a unit, for instance 100ms",
		`"at_most": -4`:      "at_most -4 must not be negative; 0 is no limit",
		`"ignore_first":-1`:  "ignore_first -1 must not be negative; 0 is no limit",
		`"kind": "zzz"`:      `kind "zzz" is unknown; use one of conflict, race,`,
		`"kind": "schedule"`: "schedule is missing; remove the breakpoint",
		`"kind": "race", "places": [{"file":"a.go","line":1},{"file":"a.go","line":1},{"file":"a.go","line":1}]`: "kind race has 2 places at most, not 3",
		`"order": [1,1]`:                                       "order 1,1 must name each of the 2 sides once, for instance 1,2",
		`"order": [1,2,3]`:                                     "order 1,2,3 must name each of the 2 sides once",
		`"places": []`:                                         "places must be two or more, not 0",
		`"places": [{"file":"a.go","line":1}]`:                 "places must be two or more, not 1",
		`"places": [{"line":1},{"file":"a.go","line":1}]`:      `places[0] has no "file"`,
		`"places": [{"file":"a.go","line":1},{"file":"a.go"}]`: "places[1].line 0 must be 1 or more",
		`"places": [{"file":"a.go","line":1,"column":-2},{"file":"a.go","line":2}]`:   "places[0].column -2 must not be negative",
		`"places": [{"file":"a.go","line":1,"timeout":"x"},{"file":"a.go","line":2}]`: "places[0].timeout x is not a valid duration",
		`"if": "t1.p == "`: `if "t1.p == " is not a Go expression: column 9: expected operand`,
		`"if": "t1.p = 2"`: "is not a Go expression",
		`"id": ""`:         `id "" is not a valid id`,
		`"id": "a b"`:      `id "a b" is not a valid id`,

		`"kind": ""`: "", `"order": [2,1], "timeout": "50ms", "if": "t1.p == t2.p", "id": "b3-mine"`: "",
		`"kind": "order", "at_most": 3, "ignore_first": 1, "order": []`: "",
	} {
		b := &Breakpoint{}
		places := twoPlaces + ", "
		if strings.Contains(text, "places") {
			places = ""
		}
		if err := json.Unmarshal([]byte(`{"id": "b1", `+places+text+`}`), b); err != nil {
			t.Fatal(err)
		}
		switch got := b.Check(); {
		case want == "" && len(got) > 0, want != "" && len(got) != 1:
			t.Errorf("%s: %v", text, got)
		case want != "" && (!strings.HasPrefix(got[0].Error(), want) && !strings.HasSuffix(want, "expression") || !strings.Contains(got[0].Error(), want)):
			t.Errorf("%s: %q; want %q", text, got[0], want)
		}
	}
}

// TestTwins: two with an id are both wrong, and the others are not.
func TestTwins(t *testing.T) {
	f, err := decode([]byte(`{"version": 1, "breakpoints": [{"id": "b1", `+twoPlaces+`}, {"id": "b2", `+twoPlaces+`}, {"id": "b1", `+twoPlaces+`}]}`), "f")
	if err != nil {
		t.Fatal(err)
	}
	got := f.Check()
	if len(got[0]) != 1 || len(got[1]) != 0 || len(got[2]) != 1 ||
		got[0][0].Error() != "id b1 is that of 2 breakpoints, perhaps after a merge; give the others another one" {
		t.Errorf("%v", got)
	}
}

// TestCheckOrders: the orders of n sides are their permutations, and no others.
func TestCheckOrders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, MaxPlaces).Draw(t, "sides")
		order := rapid.SliceOfN(rapid.IntRange(-1, n+1), 0, n+1).Draw(t, "order")
		if rapid.Bool().Draw(t, "shuffled") {
			order = rapid.Permutation(sequence(n)).Draw(t, "permutation")
		}
		seen := map[int]bool{}
		for _, s := range order {
			if s >= 1 && s <= n {
				seen[s] = true
			}
		}
		right := len(order) == 0 || len(order) == n && len(seen) == n
		if got := checkOrder(order, n); (len(got) == 0) != right {
			t.Fatalf("%v of %d: %v", order, n, got)
		}
	})
}

func sequence(n int) []int {
	var out []int
	for i := range n {
		out = append(out, i+1)
	}
	return out
}

func TestCheckTimeouts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(-3, 3).Draw(t, "ns"))
		if got := checkTimeout("timeout", fmt.Sprint(d)); (len(got) == 0) != (d > 0) {
			t.Fatalf("%v: %v", d, got)
		}
	})
}
