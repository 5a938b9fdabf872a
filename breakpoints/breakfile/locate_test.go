package breakfile

import (
	"errors"
	"os"
	"strings"
	"testing"
)

const counter = `package p

import "sync"

type C struct {
	mu sync.Mutex
	n  int
}

func (c *C) Inc(by int) int {
	c.mu.Lock()
	old := c.n
	c.n = old + by
	c.mu.Unlock()
	return old
}

func (c *C) Dec(by int) int {
	c.mu.Lock()
	old := c.n
	c.n = old - by
	c.mu.Unlock()
	return old
}

func run(c *C, done chan bool) {
	for i := 0; i < 3; i++ {
		go func() { c.Inc(i); done <- true }()
	}
	select {
	case <-done:
	case done <- false:
	}
}
`

func mark(t *testing.T, src string, line, col int) Place {
	t.Helper()
	p, err := Fingerprint([]byte(src), "p.go", line, col)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestFingerprint(t *testing.T) {
	for _, c := range []struct {
		line, col  int
		fn, text   string
		nth, of, e int
	}{
		{11, 0, "(*C).Inc", "c.mu.Lock()", 0, 0, 1},
		{13, 0, "(*C).Inc", "c.n = old + by", 0, 0, 0},
		{27, 0, "run", "for i := 0; i < 3; i++", 0, 0, 0},
		{28, 0, "run", "go func() {…}()", 0, 0, 0},
		{28, 16, "run.func1", "c.Inc(i)", 0, 0, 0},
		{28, 26, "run.func1", "done <- true", 0, 0, 0},
		{30, 0, "run", "select { case <-done: case done <- false: }", 0, 0, 0},
		{32, 0, "run", "case done <- false", 0, 0, 0},
	} {
		p := mark(t, counter, c.line, c.col)
		if p.Func != c.fn || p.Text != c.text || p.Nth != c.nth || p.Of != c.of || p.Elsewhere != c.e {
			t.Errorf("%d:%d: %q in %s, %d of %d, %d elsewhere; want %+v", c.line, c.col, p.Text, p.Func, p.Nth, p.Of, p.Elsewhere, c)
		}
	}
}

func TestNamesOfFunctions(t *testing.T) {
	src, err := os.ReadFile("testdata/cache.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	s, err := parse(src)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, u := range s.units {
		got[u.fn] = true
	}
	for _, want := range []string{"handlers.func1", "handlers.func2", "init.0", "init.0.func1", "init.1.func1", "New.func1", "(*Cache).Get", "transfer"} {
		if !got[want] {
			t.Errorf("no statement is in %s", want)
		}
	}
}

// TestRender: texts survive being read and written again.
func TestRender(t *testing.T) {
	for name, src := range sources(t) {
		s, err := parse(src)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range s.units {
			again := scan([]byte(u.text))
			if key(again) != u.key || render(again) != u.text {
				t.Errorf("%s: %q is read as %q", name, u.text, render(again))
			}
		}
	}
	for text, want := range map[string]string{
		"x:=- -y":                     "x := - -y",
		"p . x=10":                    "p.x = 10",
		"f( a,\n\tb,\n)":              "f(a, b)",
		"v,ok:=<-m [i:j] [ 0 ]":       "v, ok := <-m[i:j][0]",
		"go  func ( ) {…}( )":         "go func() {…}()",
		"x := T{ a:1 /* one */,b:2,}": "x := T{a: 1, b: 2}",
		"var a []map [string]int":     "var a []map[string]int",
		"f(xs ...)":                   "f(xs...)",
	} {
		if got := render(scan([]byte(text))); got != want {
			t.Errorf("%q is rendered %q, want %q", text, got, want)
		}
	}
}

func TestLocate(t *testing.T) {
	swap := func(pairs ...string) string {
		out := counter
		for i := 0; i < len(pairs); i += 2 {
			if !strings.Contains(out, pairs[i]) {
				t.Fatalf("no %q", pairs[i])
			}
			out = strings.Replace(out, pairs[i], pairs[i+1], 1)
		}
		return out
	}
	inc := counter[strings.Index(counter, "func (c *C) Inc"):strings.Index(counter, "func (c *C) Dec")]
	for _, c := range []struct {
		what      string
		line, col int // of the place
		now       string
		at        int // line, 0 if lost
		changed   bool
		words     string // of Why or of the error
	}{
		{"untouched", 13, 0, counter, 13, false, ""},
		{"lines above", 13, 0, "// a\n// b\n" + counter, 15, false, "line 13"},
		{"one line", 13, 0, swap("{\n\tc.mu.Lock()\n\told := c.n\n\tc.n = old + by", "{ c.mu.Lock(); old := c.n; c . n=old /* sum */ +by"), 10, false, ""},
		{"variable renamed", 13, 0, strings.ReplaceAll(counter, "old", "was"), 13, true, "renamed old to was"},
		{"receiver renamed", 11, 0, strings.ReplaceAll(counter, "c.", "cc."), 11, true, "renamed c to cc"},
		{"argument more", 28, 16, swap("c.Inc(i)", "c.Inc(i, 7)"), 28, true, "it was \"c.Inc(i)\""},
		{"moved within", 14, 0, swap("\tc.mu.Unlock()\n\treturn old", "\treturn old\n\tc.mu.Unlock()"), 15, false, ""},
		{"function renamed", 13, 0, swap(") Inc(", ") Increment("), 13, false, "(*C).Increment now"},
		{"type renamed", 11, 0, strings.ReplaceAll(counter, "C)", "Counter)"), 11, false, "(*Counter).Inc now"},
		{"function moved", 11, 0, strings.Replace(counter, inc, "", 1) + inc, 28, false, ""},
		{"wrapped", 13, 0, swap("\tc.n = old + by\n", "\tif by > 0 {\n\t\tgo func() { c.n = old + by }()\n\t}\n"), 14, false, ""},
		{"extracted", 13, 0, swap("\tc.n = old + by\n", "\tc.put(old, by)\n") + "\nfunc (c *C) put(old, by int) {\n\tc.n = old + by\n}\n", 37, false, "it was in (*C).Inc"},
		{"deleted", 13, 0, swap("\tc.n = old + by\n", ""), 0, false, "no longer in (*C).Inc"},
		{"deleted, and another deals with the same", 13, 0, swap("\tc.n = old + by\n", "\tc.m++\n"), 0, false, "no longer"},
		{"function deleted, its twin stays", 11, 0, strings.Replace(counter, inc, "", 1), 0, false, "there is no (*C).Inc any more"},
		{"function deleted, its twin renamed", 11, 0, strings.Replace(strings.Replace(counter, inc, "", 1), "Dec", "Less", 1), 0, false, "no function that reads as it did"},
		{"copied beside", 13, 0, swap("\tc.n = old + by\n", "\tc.n = old + by\n\tc.n = old + by\n"), 0, false, "occurs 2 times"},
		{"copied far", 11, 0, swap("\treturn old\n", "\tc.mu.Lock()\n\treturn old\n"), 11, false, ""},
		{"half-typed in its function", 13, 0, swap("\told := c.n\n", "\told := c.n\n\tif c.\n"), 14, false, ""},
		{"half-typed elsewhere", 13, 0, swap("c.n = old - by", "c.n = (old - "), 13, false, ""},
		{"half-typed, and gone", 13, 0, swap("\tc.n = old + by\n", "\tc.n = (old +\n"), 0, false, "does not parse: "},
		{"case", 32, 0, swap("case <-done:", "case <-done:\n\t\tprintln()"), 33, false, ""},
		{"empty file", 13, 0, "package p\n", 0, false, "there is no (*C).Inc"},
		{"no text", 13, 0, "", 0, false, "does not parse"},
	} {
		p := mark(t, counter, c.line, c.col)
		l, err := Locate(p, []byte(c.now))
		var lost *LostError
		if err != nil && !errors.As(err, &lost) {
			t.Errorf("%s: %v is no LostError", c.what, err)
		}
		why := l.Why
		if err != nil {
			why = err.Error()
		}
		if l.Line != c.at || l.Changed != c.changed || !strings.Contains(why, c.words) || strings.Contains(why, "\n") {
			t.Errorf("%s: line %d, changed %v, %q; want %d, %v, %q", c.what, l.Line, l.Changed, why, c.at, c.changed, c.words)
		}
	}
}

func TestLocateInOtherFiles(t *testing.T) {
	p := mark(t, counter, 13, 0)
	other := "package p\n\nfunc other() {\n\tprintln()\n}\n"
	cut := counter[:strings.Index(counter, "func (c *C) Inc")]
	rest := "package p\n\n" + counter[strings.Index(counter, "func (c *C) Inc"):]
	for _, c := range []struct {
		what  string
		files map[string]string
		file  string
		line  int
	}{
		{"at home", map[string]string{"p.go": counter, "q.go": other}, "p.go", 13},
		{"function in another file", map[string]string{"p.go": cut, "q.go": rest}, "q.go", 6},
		{"file renamed", map[string]string{"q.go": counter, "r.go": other}, "q.go", 13},
		{"file renamed, function too", map[string]string{"q.go": strings.Replace(counter, "Inc(by", "Increment(by", 1)}, "q.go", 13},
		{"gone", map[string]string{"q.go": other}, "", 0},
		{"two variants", map[string]string{"q_linux.go": counter, "q_windows.go": counter}, "", 0},
		{"statement gone at home", map[string]string{"p.go": strings.Replace(counter, "\tc.n = old + by\n", "", 1), "q.go": rest}, "", 0},
	} {
		files := map[string][]byte{}
		for name, text := range c.files {
			files[name] = []byte(text)
		}
		file, l, err := LocateIn(p, files)
		if file != c.file || l.Line != c.line || (err == nil) != (c.file != "") {
			t.Errorf("%s: %s:%d, %v; want %s:%d", c.what, file, l.Line, err, c.file, c.line)
		}
	}
}

const friends = `package p

func name(c any) string {
	if s, ok := c.(stringer); ok {
		return s.String()
	}
	return typeOf(c)
}

func (l *List) PushFront(v any) *Element {
	l.lazyInit()
	return l.insert(v, &l.root)
}

func (l *List) PushBack(v any) *Element {
	l.lazyInit()
	return l.insert(v, l.root.prev)
}

func (b *bank) withdraw(from *account, amount int) bool {
	from.Lock()
	if from.balance < amount {
		from.Unlock()
		return false
	}
	from.balance -= amount
	from.Unlock()
	return true
}

func (l *List) MoveAfter(e, mark *Element) {
	if e.list != l || e == mark {
		return
	}
	l.move(e, mark)
}

func (l *List) start() {
	go func() { l.run() }()
	l.ready = true
}
`

// TestFalseFriends: what looks more like the place than the place does, after
// it lost its neighbours to a copy or another function. All were found by
// TestRandomEdits, at the false one.
func TestFalseFriends(t *testing.T) {
	for _, c := range []struct {
		what string
		line int
		edit []string // from, to, ...
		at   int      // 0 if lost
	}{
		{"copied whole, then hollowed out", 4, []string{"\tif s, ok := c.(stringer); ok {\n\t\treturn s.String()\n\t}\n\treturn typeOf(c)\n",
			"\tif s, ok := c.(stringer); ok {\n\t\treturn s.String()\n\t}\n\tif s, ok := c.(stringer); ok {\n\t}\n"}, 0},
		{"one of two, copied whole, then hollowed out", 23, []string{"\tfrom.balance -= amount\n",
			"\tif from.balance < amount {\n\t\tfrom.Unlock()\n\t}\n\tfrom.balance -= amount\n"}, 0},
		{"copied in a function of another name", 32, []string{"List)", "List2)", "\tl.move(e, mark)\n", "\tif e.list != l || e == mark {\n\t}\n\tl.move(e, mark)\n"}, 0},
		{"a known function got its neighbour", 16, []string{"PushBack", "PushLast", "\treturn l.insert(v, l.root.prev)\n", "",
			"\treturn l.insert(v, &l.root)\n", "\treturn l.insert(v, l.root.prev)\n\treturn l.insert(v, &l.root)\n"}, 0},
		{"a known function got it, and has another name too", 16, []string{"PushBack", "PushLast", "PushFront", "PushFirst", "\treturn l.insert(v, l.root.prev)\n", "",
			"\treturn l.insert(v, &l.root)\n", "\treturn l.insert(v, l.root.prev)\n\treturn l.insert(v, &l.root)\n"}, 0},
		{"type renamed, the method hollowed out, and a copy of it", 21, []string{"(b *bank)", "(b *shop)", "\tfrom.Lock()\n\tif from.balance < amount {\n\t\tfrom.Unlock()\n\t\treturn false\n\t}\n\tfrom.balance -= amount\n\tfrom.Unlock()\n\treturn true\n}\n",
			"\tfunc() {\n\t\tfrom.Lock()\n\t}()\n}\n\nfunc (b *shop) withdraw1(from *account, amount int) bool {\n\tfrom.Lock()\n\tif from.balance < amount {\n\t\tfrom.Unlock()\n\t\treturn false\n\t}\n\tfrom.balance -= amount\n\tfrom.Unlock()\n\treturn true\n}\n"}, 0},
		{"copied beside, then changed", 26, []string{"\tfrom.balance -= amount\n", "\tfrom.balance -= amount * rate\n\tfrom.balance -= amount\n"}, 0},
		{"a literal like any other, elsewhere", 39, []string{"\tgo func() { l.run() }()\n", "", "\treturn typeOf(c)\n", "\tgo func() { return typeOf(c) }()\n"}, 0},
		// And what is still told apart.
		{"one that is alike beside it", 26, []string{"\tfrom.balance -= amount\n", "\tfrom.balance -= amount\n\tto.balance += amount\n"}, 26},
		{"function renamed, beside one that begins the same", 16, []string{"PushBack", "PushLast"}, 16},
		{"type renamed, the same", 16, []string{"List)", "List2)"}, 16},
		{"type and function renamed", 32, []string{"List)", "List2)", "MoveAfter", "MoveBehind"}, 32},
		{"copied far from there", 21, []string{"\treturn true\n", "\tfrom.Lock()\n\treturn true\n"}, 21},
	} {
		p := mark(t, friends, c.line, 0)
		now := friends
		for i := 0; i < len(c.edit); i += 2 {
			if !strings.Contains(now, c.edit[i]) {
				t.Fatalf("%s: no %q", c.what, c.edit[i])
			}
			now = strings.ReplaceAll(now, c.edit[i], c.edit[i+1])
		}
		l, err := Locate(p, []byte(now))
		if l.Line != c.at || l.Changed {
			t.Errorf("%s: line %d, changed %v, %v; want %d", c.what, l.Line, l.Changed, err, c.at)
		}
	}
}
