package projection

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/source"
	"github.com/hocket-dev/hocket/engine/trace/tracetest"
)

// told projects runs of one file, a.go.
func told(t *testing.T, src, fail, pass string) *Projection {
	t.Helper()
	fx := &fixture{files: map[string]string{"a.go": src}}
	read := func(p string) ([]byte, error) {
		if p == dir+"a.go" {
			return []byte(src), nil
		}
		return nil, os.ErrNotExist
	}
	opt := tracetest.Options{Dir: dir, FuncAt: fx.funcAt(t)}
	input := func() Input {
		in := Input{Roots: site.Roots{Module: "/src"}, Files: source.NewFiles(read), Fail: build(t, fail, opt)}
		if pass != "" {
			in.Pass = build(t, pass, opt)
		}
		return in
	}
	survives(input)
	return Project(input())
}

// survives projects damaged runs, which must not panic.
func survives(input func() Input) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		in := input()
		damage(rng, in.Fail)
		if in.Pass != nil {
			damage(rng, in.Pass)
		}
		Project(in)
	}
}

// expect checks the sentence, the advice and the lines of the rows.
func expect(t *testing.T, p *Projection, sentence, must string, rows ...int) {
	t.Helper()
	if p.Sentence != sentence {
		t.Errorf("sentence\n%s\nwant\n%s", p.Sentence, sentence)
	}
	if p.MustNot != must {
		t.Errorf("must\n%s\nwant\n%s", p.MustNot, must)
	}
	var got []int
	for _, r := range p.Rows {
		got = append(got, r.Line)
		if r.Failing == r.Passing {
			t.Errorf("line %d: both columns say %q", r.Line, r.Failing)
		}
	}
	if !slices.Equal(got, rows) {
		t.Errorf("rows %v, want %v", got, rows)
	}
	for _, l := range rows {
		if !slices.Contains(lines(p), l) {
			t.Errorf("the root cause %v lacks line %d", lines(p), l)
		}
	}
}

const closedStore = `package main

func add(s *store) error {
	s.mu.Lock()
	if s.closed {
		return errClosed
	}
	s.n++
	s.mu.Unlock()
	return nil
}

func stop(s *store) {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
}

func main() {
	go add(s)
	go stop(s)
	s.mu.Lock()
}
`

// A lock that an ended goroutine never gave back.
func TestLockOfAnEndedGoroutine(t *testing.T) {
	start := "var s.closed bool\nmain spawn add a.go:20\nmain spawn stop a.go:21\nadd start\nstop start\n"
	stop := "stop lock s.mu a.go:14\nstop write s.closed=true a.go:15\nstop unlock s.mu a.go:16\nstop end\n"
	p := told(t, closedStore, start+stop+`
add lock s.mu a.go:4
add read s.closed=true a.go:5
add end
main block s.mu a.go:22
blocked main lock s.mu a.go:22 holder add
outcome deadlock "all goroutines are asleep"
`, start+`
add lock s.mu a.go:4
add read s.closed=false a.go:5
add write s.n=1 a.go:8
add unlock s.mu a.go:9
add end
`+stop+"main lock s.mu a.go:22\n")
	expect(t, p, "`main` waits to lock `s.mu` (line 22), which `add` locked (4) and never unlocked; "+
		"`add` read true from `s.closed` (5), after `stop` had set it to true (15), and returned (6) without unlocking `s.mu` (9).",
		"`add` must unlock `s.mu` when it returns at line 6, too.", 15, 4, 5, 6, 22)
}

// Without a passing run, too.
func TestLockOfAnEndedGoroutineAlone(t *testing.T) {
	p := told(t, closedStore, `
var s.closed bool
main spawn add a.go:20
main spawn stop a.go:21
add start
stop start
stop lock s.mu a.go:14
stop write s.closed=true a.go:15
stop unlock s.mu a.go:16
stop end
add lock s.mu a.go:4
add read s.closed=true a.go:5
add end
main block s.mu a.go:22
blocked main lock s.mu a.go:22 holder add
outcome deadlock "all goroutines are asleep"
`, "")
	if !strings.Contains(p.Sentence, "and returned (6)") {
		t.Error(p.Sentence)
	}
	wantLines(t, p, 4, 5, 6, 15, 22)
}

// A writer that waits between two read locks of one goroutine is part of the cycle.
func TestNestedReadLock(t *testing.T) {
	start := "main spawn sum a.go:5\nmain spawn set a.go:6\nsum start\nset start\n"
	p, _ := plain(t, start+`
sum rlock r.mu a.go:20
set block r.mu a.go:30
sum block r.mu a.go:14 call a.go:24
blocked set lock r.mu a.go:30 holder sum
blocked sum rlock r.mu a.go:14 call a.go:24 holder sum
outcome deadlock "all goroutines are asleep"
`, start+`
sum rlock r.mu a.go:20
sum rlock r.mu a.go:14 call a.go:24
sum runlock r.mu a.go:16 call a.go:24
sum runlock r.mu a.go:27
sum end
set lock r.mu a.go:30
set unlock r.mu a.go:32
set end
`)
	expect(t, p, "`sum` holds the read lock of `r.mu` (line 20); `set` waits to lock it (30) until that is released; `sum` waits to read-lock it again (14), behind `set`.",
		"`sum` must not take the read lock of `r.mu` again while it holds it: a writer may wait in between.", 20, 30, 14)
}

// A goroutine that locks again what it holds, and what brought it there.
func TestLockHeldByItself(t *testing.T) {
	src := `package main

func put(c *cache) {
	c.mu.Lock()
	if c.full {
		evict(c)
	}
	c.mu.Unlock()
}

func evict(c *cache) {
	c.mu.Lock()
	c.n, c.m = 0, 0
	c.mu.Unlock()
	c.k = 0
}

func fill(c *cache) {
	c.full = true
}
`
	start := "var c.full bool\nmain spawn put a.go:1\nmain spawn fill a.go:1\nput start\nfill start\n"
	p := told(t, src, start+`
fill write c.full=true a.go:19
put lock c.mu a.go:4
put read c.full=true a.go:5
put block c.mu a.go:12 call a.go:6
blocked put lock c.mu a.go:12 call a.go:6 holder put
outcome deadlock "all goroutines are asleep"
`, start+`
put lock c.mu a.go:4
put read c.full=false a.go:5
put unlock c.mu a.go:8
fill write c.full=true a.go:19
`)
	expect(t, p, "`put` holds `c.mu` (line 4) and waits to lock it again (12), so it waits for itself; "+
		"`put` came there after it read true from `c.full` (5), after `fill` had set it to true (19).",
		"`put` must not lock `c.mu` again while it holds it.", 19, 4, 5, 12)
}

// Two objects of one type have no order among them.
func TestLocksOfOneKind(t *testing.T) {
	start := "main spawn w a.go:5\nmain spawn w#2 a.go:6\nw start\nw#2 start\n"
	run := func(text string) string {
		return start + strings.NewReplacer("A.mu", "account.mu", "B.mu", "account.mu#2").Replace(text)
	}
	p, _ := plain(t, run(`
w lock A.mu a.go:14
w#2 lock B.mu a.go:14
w block B.mu a.go:16
w#2 block A.mu a.go:16
blocked w lock B.mu a.go:16 holder w#2
blocked w#2 lock A.mu a.go:16 holder w
outcome deadlock "all goroutines are asleep"
`), run(`
w lock A.mu a.go:14
w lock B.mu a.go:16
w unlock B.mu a.go:18
w unlock A.mu a.go:18
`))
	if want := "The locks taken at line 16 are of one kind: two of them must always be locked in one order, such as that of an id."; p.MustNot != want {
		t.Errorf("must %q, want %q", p.MustNot, want)
	}
}

const asker = `package main

func compute(out chan int) {
	out <- 42
}

func ask(out, late chan int) int {
	select {
	case v := <-out:
		return v
	case <-late:
		return -1
	}
}

func main() {
	go compute(out)
	ask(out, late)
}
`

// The receiver left by another case of its select.
func TestSendAfterTheReceiverLeft(t *testing.T) {
	start := "main spawn compute a.go:17\ncompute start\n"
	p := told(t, asker, start+`
main recv late a.go:1
main select late=0/2 a.go:8 call a.go:18
main end
compute block out=0/25 a.go:4
blocked compute send out a.go:4
outcome leak "1 goroutine is blocked for ever"
`, start+`
compute send out=1/0 a.go:4
main select out=1/2 a.go:8 call a.go:18
compute end
`)
	_ = p
	expect(t, p, "`compute` waits to send on `out` (line 4), which is unbuffered; "+
		"`main` took `<-late` (11) instead of `v := <-out` (9) and returned (12).",
		"`out` needs a buffer for what is sent after `main` has left, or the send (4) must be in a select with a case that ends it.", 11, 12, 4)
}

// A range over a channel that its sender leaves open.
func TestReceiveFromAChannelThatNobodyCloses(t *testing.T) {
	src := `package main

func run(s *src) {
	for i := range 3 {
		if s.dead.Load() {
			return
		}
		s.ch <- i
	}
	close(s.ch)
}

func kill(s *src) { s.dead.Store(true) }
`
	start := "var s.dead atomic.Bool\nmain spawn run a.go:1\nmain spawn kill a.go:1\nrun start\nkill start\n"
	p := told(t, src, start+`
kill store s.dead=true a.go:13
run load s.dead=true a.go:5
run end
main block s.ch a.go:20
blocked main recv s.ch a.go:20
outcome deadlock "all goroutines are asleep"
`, start+`
run load s.dead=false a.go:5
run close s.ch a.go:10
kill store s.dead=true a.go:13
main recv s.ch=2 a.go:20
`)
	expect(t, p, "`main` waits to receive from `s.ch` (line 20); `run` read true from `s.dead` (5), after `kill` had set it to true (13), and returned (6) without closing `s.ch` (10).",
		"`run` must close `s.ch` when it returns at line 6, too.", 13, 5, 6, 20)
}

// Several senders are told as one, and the early leaver by the error that it saw.
func TestSendersAfterTheFirstError(t *testing.T) {
	src := `package main

func all() error {
	for range 3 {
		if err := <-errc; err != nil {
			return err
		}
	}
	return nil
}

func main() { all() }
`
	start := "main spawn w a.go:1\nmain spawn w#2 a.go:1\nmain spawn w#3 a.go:1\nw start\nw#2 start\nw#3 start\n"
	p := told(t, src, start+`
w#2 send errc=1/0 a.go:30
main recv errc=1/0 a.go:5 call a.go:12
main end
w block errc a.go:31
w#3 block errc a.go:31
blocked w send errc a.go:31
blocked w#3 send errc a.go:31
outcome leak "2 goroutines are blocked for ever"
`, start+`
w send errc=1/0 a.go:31
main recv errc=1/0 a.go:5 call a.go:12
w#2 send errc=1/0 a.go:30
main recv errc=1/0 a.go:5 call a.go:12
w#3 send errc=1/0 a.go:31
main recv errc=1/0 a.go:5 call a.go:12
`)
	expect(t, p, "`w` and `w#3` wait to send on `errc` (line 31), which is unbuffered; "+
		"`main` received from `errc` (5), which `w#2` sent (30), and returned (6) without receiving from `errc` again (5).",
		"`errc` needs a buffer for what is sent after `main` has left, or the send (31) must be in a select with a case that ends it.", 30, 5, 6, 31)
}
