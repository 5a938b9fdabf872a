package verify

import (
	"strings"
	"testing"
)

const checked = `package p

import "testing"

func equal(t testing.TB, got, want int) {
	if got != want {
		t.Fatal(got)
	}
}

func TestX(t *testing.T) {
	done := make(chan int)
	go func() { done <- 1 }()
	got := <-done
	if got != 1 {
		t.Errorf("got %d", got)
	}
	equal(t, got, 1)
}
`

// TestWhatCannotBeAFix: edits of a test that take away what fails or what does the work,
// whatever runs show.
func TestWhatCannotBeAFix(t *testing.T) {
	failing := strings.Count(checked[:strings.Index(checked, "t.Errorf")], "\n") + 1
	for _, c := range []struct {
		name, old, new string
		rejected       bool
	}{
		{"nothing", "", "", false},
		{"the check gone", `t.Errorf("got %d", got)`, `t.Logf("got %d", got)`, true},
		{"the check weakened", "got != 1", "got > 5", true},
		{"another message", `t.Errorf("got %d", got)`, `t.Errorf("got %v", got)`, true},
		{"a return before", "	if got != 1 {", "	if got == 0 {\n		return\n	}\n	if got != 1 {", true},
		{"skipped", "	done := make", "	t.Skip()\n	done := make", true},
		{"a sleep", "	got := <-done", "	time.Sleep(1)\n	got := <-done", true},
		{"a sleep by another name", "import \"testing\"", "import (\n	\"testing\"\n	clock \"time\"\n)\n\nfunc wait() { clock.Sleep(1) }", true},
		{"a sleep without a package's name", "import \"testing\"", "import (\n	\"testing\"\n	. \"time\"\n)\n\nfunc wait() { Sleep(1) }", true},
		{"a Sleep of another package", "import \"testing\"", "import (\n	\"testing\"\n	\"example.com/time\"\n)\n\nfunc wait() { time.Sleep(1) }", false},
		{"TryLock", "	got := <-done", "	if !mu.TryLock() {\n		return\n	}\n	got := <-done", true},
		{"an assertion gone", "	equal(t, got, 1)\n", "", true},
		{"an assertion that always holds", "equal(t, got, 1)", "equal(t, got, got)", true},
		{"an assertion further down", "	equal(t, got, 1)\n", "	go func() {}()\n	equal(t, got, 1)\n", false},
		{"a removed go", "go func() { done <- 1 }()", "func() { done <- 1 }()", true},
		{"a removed send", "done <- 1", "_ = done", true},
		{"recover", "go func() { done <- 1 }()", "go func() { defer func() { recover() }(); done <- 1 }()", true},
		{"room in the channel", "make(chan int)", "make(chan int, 1)", false},
		{"a lock", "	got := <-done", "	var mu sync.Mutex\n	mu.Lock()\n	defer mu.Unlock()\n	got := <-done", false},
		{"a return behind", "		t.Errorf(\"got %d\", got)\n	}\n", "		t.Errorf(\"got %d\", got)\n	}\n	return\n", false},
	} {
		after := replaced(checked, c.old, c.new)
		why := weakens(map[string][]byte{"x_test.go": []byte(checked)}, map[string][]byte{"x_test.go": []byte(after)})
		hs := hunks([]byte(checked), []byte(after))
		if why == "" {
			why = changesAsserts(map[string][]byte{"x_test.go": []byte(checked)}, map[string][]byte{"x_test.go": []byte(after)})
		}
		if why == "" {
			why = changesCheck("x_test.go", failing, []byte(checked), []byte(after))
		}
		if why == "" {
			why = leavesEarlier("x_test.go", failing, []byte(checked), []byte(after), hs)
		}
		if (why != "") != c.rejected {
			t.Errorf("%s: %q", c.name, why)
		}
	}
}

func replaced(text, old, new string) string {
	if old == "" {
		return text
	}
	for i := 0; i+len(old) <= len(text); i++ {
		if text[i:i+len(old)] == old {
			return text[:i] + new + text[i+len(old):]
		}
	}
	return text
}

// TestVariants: a function and its variant for callers that hold a lock count once; methods
// of equal names count each.
func TestVariants(t *testing.T) {
	const a, b, variant = "func (a *A) put() { ch <- 1 }\n", "func (b *B) put() { ch <- 2 }\n", "func (a *A) putLocked() { ch <- 1 }\n"
	for _, c := range []struct {
		was, is  string
		rejected bool
	}{
		{a + b, a + "func (b *B) put() {}\n", true},
		{a + b, a + variant + b, false},
		{a + variant, variant, false},
		{"func init() { go a() }\nfunc init() { go b() }\n", "func init() { go a() }\n", true},
	} {
		why := weakens(map[string][]byte{"x.go": []byte("package p\n\n" + c.was)}, map[string][]byte{"x.go": []byte("package p\n\n" + c.is)})
		if (why != "") != c.rejected {
			t.Errorf("%s becomes %s: %q", c.was, c.is, why)
		}
	}
}

// TestGivesUp: a send that may be given up is told, once it is one more than before.
func TestGivesUp(t *testing.T) {
	const wait, may = "p.done <- 1", "select {\n	case p.done <- 1:\n	default:\n	}"
	text := func(send string) map[string][]byte {
		return map[string][]byte{"x.go": []byte("package p\n\nfunc f() {\n	" + send + "\n}\n")}
	}
	for _, c := range []struct {
		was, is string
		told    bool
	}{
		{wait, may, true},
		{may, may, false},
		{may, wait, false},
		{wait, "select {\n	case p.done <- 1:\n	}", false},
		{wait, "select {\n	case <-p.quit:\n	default:\n	}\n	" + wait, false},
	} {
		if told := givesUp(text(c.was), text(c.is)); (len(told) > 0) != c.told || c.told && !strings.Contains(told[0], "p.done") {
			t.Errorf("%s: %q", c.is, told)
		}
	}
}

// TestNoops: a statement stands before the first one that a hunk touches, and the text
// still parses.
func TestNoops(t *testing.T) {
	after := replaced(checked, "	got := <-done", "	got, ok := <-done\n	_ = ok")
	texts, err := withNoops(map[string][]byte{"x.go": []byte(checked)}, map[string][]byte{"x.go": []byte(after)})
	if err != nil {
		t.Fatal(err)
	}
	want := replaced(checked, "	got := <-done", "	"+noop+"got := <-done")
	if got := string(texts["x.go"]); got != want {
		t.Errorf("got\n%s", got)
	}
}
