package source

import (
	"os"
	"strings"
	"testing"
)

const operandText = `package m

import (
	"io"
	c "context"
)

func (n *notifier) send(v int, all []chan int, p *int, other *notifier) {
	n.mu.Lock()
	n.ch <- v
	all[n.k] <- v
	n.slots[n.k].used = true
	*p++
	n.a.v, other.b.v = v, 1
	if v := <-n.ch; v > n.v {
		close(n.ch)
	}
	for range n.ch {
	}
	atomic.AddInt64(&n.total, 1)
	n.seen[n.name]++
	delete(n.seen, n.name)
	n.Lock()
	go func() { n.gone = true }()
	x := &notifier{v: n.w}
	n.w, other.w = 1, 2
	n.v = other.v
	n.v += other.v
	y := &notifier{v: n.v}
	n.help(all[2], other.next)
	ctx, cancel := context.WithCancel(bg)
	n.timer = time.AfterFunc(d, n.expire)
	var r, w = io.Pipe()
}

func (h *notifier) help(c chan int, to *notifier) {
	to.n.v = 1
}
`

func operandFile() *File {
	return NewFiles(func(string) ([]byte, error) { return []byte(operandText), nil }).File("m.go")
}

func operandLine(t *testing.T, piece string) int {
	t.Helper()
	for i, l := range strings.Split(operandText, "\n") {
		if strings.Contains(l, piece) {
			return i + 1
		}
	}
	t.Fatal(piece)
	return 0
}

func TestOperand(t *testing.T) {
	f := operandFile()
	for _, tt := range []struct {
		piece, want string
		w           Want
	}{
		{"n.mu.Lock", "n.mu", Want{Methods: []string{"Lock"}}},
		{"n.ch <- v", "n.ch", Want{Chan: true}},
		{"all[n.k] <- v", "all[n.k]", Want{Chan: true}},
		{"all[n.k] <- v", "all[n.k]", Want{Element: true}},
		{"all[n.k] <- v", "n.k", Want{Name: "k"}},
		{"used = true", "n.slots[n.k].used", Want{Name: "used"}},
		{"*p++", "*p", Want{Write: true}},
		{"n.a.v, other", "", Want{Name: "v"}}, // two that differ, and v itself
		{"v > n.v", "", Want{Name: "v"}},
		{"v > n.v", "n.ch", Want{Chan: true}},
		{"close(n.ch)", "n.ch", Want{Chan: true}},
		{"range n.ch", "n.ch", Want{Chan: true}},
		{"AddInt64", "n.total", Want{Methods: []string{"Add"}}},
		{"AddInt64", "", Want{Methods: []string{"Load"}}},
		{"n.Lock", "n", Want{Methods: []string{"Lock"}}},
		{"gone = true", "", Want{Name: "gone"}}, // in a function of its own
		{"&notifier{", "n.w", Want{Name: "w"}},
		{"&notifier{", "", Want{Name: "v"}}, // the key of a literal
		{"&notifier{v: n.v", "n.v", Want{Name: "v", Read: true}},
		{"&notifier{v: n.v", "", Want{Name: "v", Write: true}}, // of the new one, which has no name here
		{"n.v = other.v", "n.v", Want{Name: "v", Write: true}},
		{"n.v = other.v", "other.v", Want{Name: "v", Read: true}},
		{"n.v = other.v", "", Want{Name: "v"}},
		{"n.v += other.v", "n.v", Want{Name: "v", Write: true}},
		{"n.v += other.v", "", Want{Name: "v", Read: true}},
		{"n.w, other.w", "", Want{Write: true}},
		{"n.w, other.w", "n", Want{Name: "n"}},
		{"n.w, other.w", "other.w", Want{Name: "w", Nth: 2, Of: 2}},
		{"n.w, other.w", "", Want{Name: "w", Nth: 2, Of: 3}},
	} {
		line := operandLine(t, tt.piece)
		if got := f.Func("m.(*notifier).send", line).Operand(line, tt.w).Text; got != tt.want {
			t.Errorf("%s, %+v: %q, want %q", tt.piece, tt.w, got, tt.want)
		}
	}
}

func TestMapOperand(t *testing.T) {
	f := operandFile()
	for _, piece := range []string{"n.seen[n.name]++", "delete("} {
		line := operandLine(t, piece)
		if got := f.Func("m.(*notifier).send", line).Map(line, "seen"); got.Text != "n.seen" || got.Root != "n" {
			t.Errorf("%s: %+v", piece, got)
		}
	}
}

// What a helper calls its receiver and parameters, its caller calls otherwise.
func TestPassed(t *testing.T) {
	f := operandFile()
	at, in := operandLine(t, "n.help"), operandLine(t, "to.n.v")
	caller, fn := f.Func("m.(*notifier).send", at), f.Func("m.(*notifier).help", in)
	for root, want := range map[string]string{"h": "n", "c": "all[2]", "to": "other.next", "x": ""} {
		if got := caller.Passed(at, "m.(*notifier).help", fn, root).Text; got != want {
			t.Errorf("%s is %q, want %q", root, got, want)
		}
	}
}

// Two literals on a line are told apart by their numbers.
func TestLiteralsOfALine(t *testing.T) {
	const text = "package m\n\nfunc f(a, b *row) {\n\tboth(func() { link(a, b) }, func() { link(b, a) })\n}\n\nfunc link(x, y *row) {\n\tx.n = 1\n}\n"
	f := NewFiles(func(string) ([]byte, error) { return []byte(text), nil }).File("m.go")
	for name, want := range map[string]string{"m.f.func1": "a", "m.f.func2": "b"} {
		if got := f.Func(name, 4).Passed(4, "m.link", f.Func("m.link", 8), "x").Text; got != want {
			t.Errorf("%s passes %q, want %q", name, got, want)
		}
	}
}

// The one call of a line is that of the function whose name is not known.
func TestOnlyCall(t *testing.T) {
	const text = "package m\n\nfunc f() {\n\tundo()\n\tgo func() { done <- l.get() }()\n\ta(b())\n}\n"
	f := NewFiles(func(string) ([]byte, error) { return []byte(text), nil }).File("m.go")
	for _, tt := range []struct {
		name string
		line int
		want string
	}{{"m.f", 4, "undo"}, {"m.f.func1", 5, "l.get"}, {"m.f", 6, ""}} {
		if got := f.Func(tt.name, tt.line).OnlyCall(tt.line); got != tt.want {
			t.Errorf("line %d: %q, want %q", tt.line, got, tt.want)
		}
	}
}

func TestResult(t *testing.T) {
	f := operandFile()
	for _, tt := range []struct {
		piece, name, want string
		i                 int
	}{
		{"WithCancel", "context.WithCancel", "ctx", 0},
		{"WithCancel", "context.WithCancel", "cancel", 1},
		{"AfterFunc", "time.AfterFunc", "n.timer", 0},
		{"io.Pipe", "io.Pipe", "w", 1},
		{"io.Pipe", "io.Copy", "", 0},
	} {
		line := operandLine(t, tt.piece)
		if got := f.Func("m.(*notifier).send", line).Result(line, tt.name, tt.i); got != tt.want {
			t.Errorf("%s %d: %q, want %q", tt.name, tt.i, got, tt.want)
		}
	}
}

// The name of a package before a function's is no variable.
func TestCall(t *testing.T) {
	f := operandFile()
	for _, tt := range []struct{ piece, name, fun, recv string }{
		{"io.Pipe", "io.Pipe", "io.Pipe", ""},
		{"n.mu.Lock", "sync.(*Mutex).Lock", "n.mu.Lock", "n.mu"},
		{"n.Lock", "m.(*notifier).Lock", "n.Lock", "n"},
	} {
		line := operandLine(t, tt.piece)
		if got := f.Func("m.(*notifier).send", line).Call(line, tt.name); got.Fun != tt.fun || got.Recv.Text != tt.recv {
			t.Errorf("%s: %+v", tt.piece, got)
		}
	}
}

func TestOperandOfMissingFile(t *testing.T) {
	fn := NewFiles(func(string) ([]byte, error) { return nil, os.ErrNotExist }).File("m.go").Func("m.f", 3)
	if op := fn.Operand(3, Want{Chan: true}); op != (Operand{}) || fn.Map(3, "") != (Operand{}) || fn.Result(3, "f", 0) != "" ||
		fn.Call(3, "f") != (Call{}) || fn.Passed(3, "f", fn, "x") != (Operand{}) {
		t.Error("a missing file says something")
	}
}
