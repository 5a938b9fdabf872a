package projection

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/cause"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/source"
	"github.com/hocket-dev/hocket/engine/trace/tracetest"
)

// That one step must come before another is said where the other order alone was shown to
// suffice for the failure. Where it was only seen in a passing run, that is said, and
// nothing where no passing run has it.
func TestMustIsSaidOfWhatWasShown(t *testing.T) {
	const must, seen = "Line 10 of `fill` must come before line 6.", "In a passing run, line 10 of `fill` came before line 6."
	start := "main spawn fill a.go:5\n"
	order, other := cause.Literal{Before: 1, After: 3}, cause.Literal{Before: 0, After: 1}
	for _, c := range []struct {
		name string
		pass string
		why  *cause.Cause
		want string
	}{
		{"settled", "fill write n=1 a.go:10\nmain read n=1 a.go:6\n", &cause.Cause{Held: 30, Core: []cause.Literal{order}}, must},
		{"not settled", "fill write n=1 a.go:10\nmain read n=1 a.go:6\n", &cause.Cause{Held: 6, Why: "too few runs", Core: []cause.Literal{order}}, seen},
		{"another order", "fill write n=1 a.go:10\nmain read n=1 a.go:6\n", &cause.Cause{Held: 30, Core: []cause.Literal{{Before: 1, After: 2}}}, seen},
		{"what follows", "fill write n=1 a.go:10\nmain read n=1 a.go:6\n", &cause.Cause{Held: 30, Core: []cause.Literal{{Before: 0, After: 3}}}, must},
		{"of several", "fill write n=1 a.go:10\nmain read n=1 a.go:6\n", &cause.Cause{Held: 30, Core: []cause.Literal{other, order}}, seen},
		{"no cause", "fill write n=1 a.go:10\nmain read n=1 a.go:6\n", nil, seen},
		{"not seen", "main read n=0 a.go:6\nfill write n=1 a.go:10\n", nil, ""},
	} {
		opt := tracetest.Options{Dir: dir}
		in := Input{Roots: site.Roots{Module: "/src"}, Pass: build(t, start+"fill start\n"+c.pass, opt), Cause: c.why,
			Fail: build(t, start+"main read n=0 a.go:6\nfill start\nfill write n=1 a.go:10\nmain panicstart a.go:7\noutcome panic main \"panic: none\" a.go:7\n", opt)}
		a := newAnalysis(in)
		if got := strings.ReplaceAll(a.mustPrecede(a.entry(3), a.entry(1)), " of `main`", ""); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

const pairText = `package m

func (s *store) set(v int) {
	s.limit = v
	s.burst = v
}

func (s *store) room() int {
	l := s.limit
	return s.burst - l
}

func (s *store) guarded() int {
	if s.limit > 0 {
		return s.burst
	}
	return 0
}
`

// Of two values that belong together one was read new and the other old: that they are
// written the other way round would help nobody. It would where the first one decides
// whether the second one is read.
func TestHalfWritten(t *testing.T) {
	for _, c := range []struct{ at, reads, must string }{
		{"room", "a.go:9 a.go:10", "Lines 4-5 of `set` must run without `room` in between."},
		{"guarded", "a.go:14 a.go:15", "Line 5 of `set` must come before line 4."},
	} {
		limit, burst, _ := strings.Cut(c.reads, " ")
		start := "main spawn set a.go:30\nmain spawn " + c.at + " a.go:31\nset start\n" + c.at + " start\n"
		reads := c.at + " read s.limit=5 " + limit + "\n" + c.at + " read s.burst=%d " + burst + "\n"
		p := ofCore(t, "a.go", pairText, start+"set write s.limit=5 a.go:4\n"+fmt.Sprintf(reads, 0)+
			c.at+" panicstart "+burst+"\noutcome panic "+c.at+" \"panic: half\" "+burst+"\n",
			start+"set write s.limit=5 a.go:4\nset write s.burst=5 a.go:5\n"+fmt.Sprintf(reads, 5),
			cause.Literal{Before: 4, After: 5}, cause.Literal{Before: 6, After: 5, Late: true})
		if p.MustNot != c.must {
			t.Errorf("%s: %q, want %q", c.at, p.MustNot, c.must)
		}
	}
}

const onceText = `package m

func (c *call) run() {
	close(c.done)
	c.val = 7
}

func (c *call) wait() {
	<-c.done
	use(c.val)
}
`

const onceRun = `
main spawn run a.go:20
main spawn wait a.go:21
run start
wait start
run close c.done a.go:4
wait recv c.done=2 a.go:9
`

// A value that is set after the close that announces it: the waiter reads the old one. The
// failing run alone shows it, whether it fails or races.
func TestWrittenAfterTheClose(t *testing.T) {
	read, write := "wait read c.val=0 a.go:10\n", "run write c.val=7 a.go:5\n"
	const must = "Line 5 of `run` must come before line 4."
	wantWords(t, program(t, onceText, onceRun+read+write+"wait panicstart a.go:10\noutcome panic wait \"panic: none\" a.go:10\n", ""),
		"`run` closed `c.done` (line 4); `wait` then received from it (9) and read 0 from `c.val` (10) before `run` set it to 7 (5).", must)
	for _, run := range []string{read + write, write + read} {
		p := program(t, onceText, onceRun+run, "", [2]int{6, 7})
		if want := "nothing orders the two. `run` closed `c.done` (4) before it wrote, and `wait` received from it (9) before it read."; !strings.Contains(p.Sentence, want) || p.MustNot != must {
			t.Errorf("the race: %s %s", p.Sentence, p.MustNot)
		}
	}
}

// What is written after a message only because an answer to that came can't be written
// before: the answer is missing, and not another order.
func TestWrittenAfterTheAnswer(t *testing.T) {
	const serve = "package m\n\nfunc (c *call) serve() {\n\tc.ready <- true\n%s\n}\n\nfunc (c *call) ask() {\n\t<-c.ready\n\tc.req <- 7\n\tuse(c.val)\n}\n"
	const begin = "main spawn serve a.go:20\nmain spawn ask a.go:21\nserve start\nask start\nserve send c.ready=1 a.go:4\nask recv c.ready=1 a.go:10\n"
	const advice, orders = "Line 6 of `serve` must come before line 4.", "Both accesses need one lock, or a channel or WaitGroup that orders them."
	const read, write = "ask read c.val=0 a.go:12\n", "serve write c.val=7 a.go:6\n"
	for _, c := range []struct{ name, lines, between, must, raced string }{
		{"received", "\tv := <-c.req\n\tc.val = v", "ask send c.req=1 a.go:11\nserve recv c.req=1 a.go:5\n", "", orders},
		{"waited", "\tc.wg.Wait()\n\tc.val = 7", "ask wgadd c.wg=1 a.go:11\nask wgdone c.wg=-1 a.go:11\nserve wgwait c.wg a.go:5\n", "", orders},
		{"read", "\tv := c.seed\n\tc.val = v", "ask write c.seed=7 a.go:11\nserve read c.seed=7 a.go:5\n", "", orders},
		{"locked", "\tc.mu.Lock()\n\tc.val = 7", "ask load c.x=1 a.go:11\nserve lock c.mu a.go:5\n", advice, advice},
	} {
		run := begin + c.between
		at := strings.Count(run, "\n")
		src := fmt.Sprintf(serve, c.lines)
		if p := program(t, src, run+read+write+"ask panicstart a.go:12\noutcome panic ask \"panic: none\" a.go:12\n", ""); !strings.Contains(p.Sentence, "before `serve` set it to 7 (6)") || p.MustNot != c.must {
			t.Errorf("%s: %s %q, want %q", c.name, p.Sentence, p.MustNot, c.must)
		}
		if p := program(t, src, run+read+write, "", [2]int{at, at + 1}); p.MustNot != c.raced {
			t.Errorf("%s, a race: %s %q, want %q", c.name, p.Sentence, p.MustNot, c.raced)
		}
	}
}

// What is written in rounds after a message is no answer that was forgotten.
func TestWrittenInRoundsAfterTheMessage(t *testing.T) {
	src := strings.Replace(onceText, "\tc.val = 7", "\tfor {\n\t\tc.val++\n\t}", 1)
	p := program(t, src, strings.ReplaceAll(onceRun, "a.go:9", "a.go:11")+"wait read c.val=0 a.go:12\nrun write c.val=7 a.go:6\n", "", [2]int{6, 7})
	if want := "Both accesses need one lock, or a channel or WaitGroup that orders them."; p.MustNot != want {
		t.Errorf("advice %q, want %q", p.MustNot, want)
	}
}

const beginText = `package m

func (s *server) begin() {
	if s.closing {
		return
	}
	s.wg.Add(1)
	use(s.log)
}

func (s *server) stop() {
	s.closing = true
	s.wg.Wait()
	s.log = nil
}
`

// A check, what made it untrue and waited, and the Add that it let happen: what is asked
// for is that they don't mix, and not that a test counts for the program.
func TestCheckedBeforeItCounted(t *testing.T) {
	for _, starts := range []string{"a.go:30", "a_test.go:30:m.TestServer"} {
		start := "main spawn begin " + starts + "\nmain spawn stop " + starts + "\nbegin start\nstop start\n"
		for checked, want := range map[string][2]string{
			"begin read s.closing=0 a.go:4\n": {
				"`begin` had read 0 from `s.closing` (4) before `stop` set it to 1 (12) and waited for `s.wg` (13), and then called Add on that (7).",
				"Lines 4-7 of `begin` must run without `stop` in between."},
			"": {
				"`stop` had waited for `s.wg` (13) before `begin` called Add on it (7).",
				"Line 7 must come before the go statement of line 30."},
		} {
			p := program(t, beginText, start+checked+`
stop write s.closing=1 a.go:12
stop wgwait s.wg a.go:13
begin wgadd s.wg=1 a.go:7
stop write s.log=0 a.go:14
begin read s.log=0 a.go:8
begin panicstart a.go:8
outcome panic begin "panic: nil pointer" a.go:8
`, start+checked+`
begin wgadd s.wg=1 a.go:7
begin read s.log=4096 a.go:8
begin wgdone s.wg=-1 a.go:8
stop write s.closing=1 a.go:12
stop wgwait s.wg a.go:13
stop write s.log=0 a.go:14
`)
			if checked == "" && starts != "a.go:30" {
				want[1] = ""
			}
			if !strings.Contains(p.Sentence, want[0]) || p.MustNot != want[1] {
				t.Errorf("started at %s, checked %q:\n%s\n%s\nwant\n%s\n%s", starts, checked, p.Sentence, p.MustNot, want[0], want[1])
			}
		}
	}
}

// A flag that whoever closed the channel set, and the sender had read before.
func TestFlagCheckedBeforeTheClose(t *testing.T) {
	fx := &fixture{files: map[string]string{"a.go": hub}}
	opt := tracetest.Options{Dir: dir, FuncAt: fx.funcAt(t)}
	p := Project(Input{Roots: site.Roots{Module: "/src"}, Files: source.NewFiles(func(string) ([]byte, error) { return []byte(hub), nil }), Fail: build(t, `
main spawn publish a.go:20
main spawn stop a.go:21
publish start
publish read h.closed=0 a.go:4
stop start
stop write h.closed=1 a.go:12
stop close h.ch a.go:13
publish panicstart h.ch a.go:7
outcome panic publish "panic: send on closed channel" a.go:7
var h.closed bool
`, opt)})
	wantWords(t, p, "`publish` read false from `h.closed` (line 4) and tried to send on `h.ch` (7), but `stop` closed it in between (13).",
		"Lines 4-7 of `publish` must run without `stop` in between.")
	wantLines(t, p, 4, 12, 13)
}

// A flag that whoever closed the channel wrote as it was says nothing of the close.
func TestFlagThatStaysBeforeTheClose(t *testing.T) {
	for set, want := range map[string]Class{"0": Misuse, "1": Atomicity} {
		p := program(t, hub, "main spawn publish a.go:20\nmain spawn stop a.go:21\npublish start\npublish read h.closed=0 a.go:4\nstop start\nstop write h.closed="+set+
			" a.go:11\nstop close h.ch a.go:12\npublish panicstart h.ch a.go:7\noutcome panic publish \"panic: send on closed channel\" a.go:7\nvar h.closed bool\n", "")
		if p.Class != want || (want == Misuse) == strings.Contains(p.Sentence, "h.closed") {
			t.Errorf("set to %s: %s, %s %s", set, p.Class, p.Sentence, p.MustNot)
		}
	}
}

// A flag that was written as it was let nothing begin.
func TestFlagThatStaysBeforeTheWait(t *testing.T) {
	for set, want := range map[string]bool{"0": false, "1": true} {
		p := program(t, beginText, `
main spawn begin a.go:30
main spawn stop a.go:31
begin start
stop start
begin read s.closing=0 a.go:4
stop write s.closing=`+set+` a.go:12
stop wgwait s.wg a.go:13
begin wgadd s.wg=1 a.go:7
stop write s.log=0 a.go:14
begin read s.log=0 a.go:8
begin panicstart a.go:8
outcome panic begin "panic: nil pointer" a.go:8
`, "")
		if got := strings.Contains(p.Sentence, "s.closing"); got != want || !strings.Contains(p.Sentence, "called Add on") {
			t.Errorf("set to %s: %s %s", set, p.Sentence, p.MustNot)
		}
	}
}
