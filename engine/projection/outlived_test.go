package projection

import "testing"

// A goroutine that uses t after its test has ended: why the test could end is told, not
// what package testing did for it.
func TestOutlived(t *testing.T) {
	const begin = `main spawn test std/testing/testing.go:2101:testing.(*T).Run call main.go:1
test start
test spawn w a_test.go:5:m.TestX call std/testing/testing.go:2036:testing.tRunner
w start
`
	const use = "w lock t.mu std/testing/testing.go:1037:testing.(*common).Log call a_test.go:9:m.TestX.func1\n"
	const done = "w wgdone wg a_test.go:8:m.TestX.func1\n"
	const waits = "test wgwait wg a_test.go:12:m.TestX call std/testing/testing.go:2036:testing.tRunner\n"
	const end = "test end\n"
	const fails = "w panic - a_test.go:9:m.TestX.func1\noutcome panic w \"panic: Log in goroutine after TestX has completed: late\" a_test.go:9:m.TestX.func1\n"
	for _, tc := range []struct {
		name, fail, pass string
		lines            []int
		sentence, must   string
	}{
		{"it let the test end", begin + done + waits + end + use + fails, begin + done + use + "w end\n" + waits + end, []int{8, 12, 9},
			"`w` called Done on `wg` (line 8), for which `test` waited (12), and then `w` used its `t` (9), when the test had ended.",
			"What uses `t` (9) must come before what `test` waits for (8)."},
		{"the test did more after that", begin + done + waits + "test lock mu a_test.go:13:m.TestX call std/testing/testing.go:2036:testing.tRunner\n" + end + use + fails, "", []int{8, 12, 9},
			"`w` called Done on `wg` (line 8), for which `test` waited (12), and then `w` used its `t` (9), when the test had ended.",
			"What uses `t` (9) must come before what `test` waits for (8)."},
		{"nobody waits for it", begin + end + use + fails, begin + use + "w end\n" + end, []int{5, 9},
			"`w`, started at line 5, used its `t` (9) when `test` had ended, which had waited for nothing that `w` does.",
			"`test` must wait for `w` before it returns."},
		{"no passing run", begin + end + use + fails, "", []int{5, 9},
			"`w`, started at line 5, used its `t` (9) when `test` had ended, which had waited for nothing that `w` does.",
			"`test` must wait for `w` before it returns."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, _ := plain(t, tc.fail, tc.pass)
			if p.Sentence != tc.sentence || p.MustNot != tc.must || p.Class != Order {
				t.Errorf("%s: %s\n%s\nwant\n%s\n%s", p.Class, p.Sentence, p.MustNot, tc.sentence, tc.must)
			}
			wantLines(t, p, tc.lines...)
			for _, r := range p.Rows {
				if r.Failing == r.Passing {
					t.Errorf("both columns of line %d say %q", r.Line, r.Failing)
				}
			}
		})
	}
}
