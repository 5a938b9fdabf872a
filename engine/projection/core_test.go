package projection

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hocket-dev/hocket/engine/cause"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/source"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/engine/trace/tracetest"
)

// ofCore projects runs of which the orders that suffice are known.
func ofCore(t *testing.T, file, src, fail, pass string, core ...cause.Literal) *Projection {
	t.Helper()
	fx := &fixture{files: map[string]string{file: src}}
	read := func(p string) ([]byte, error) {
		if p == dir+file {
			return []byte(src), nil
		}
		return nil, os.ErrNotExist
	}
	opt := tracetest.Options{Dir: dir, FuncAt: fx.funcAt(t)}
	in := Input{Roots: site.Roots{Module: "/src"}, Files: source.NewFiles(read), Fail: build(t, fail, opt)}
	in.Cause = &cause.Cause{Core: core, Held: 30}
	if pass != "" {
		in.Pass = build(t, pass, opt)
		in.Cause.Late = in.Pass
	}
	return Project(in)
}

const hub = `package main

func (h *hub) publish(m string) {
	if h.closed {
		return
	}
	h.ch <- m
}

func (h *hub) stop() {
	h.closed = true
	close(h.ch)
}
`

// A check, what made it untrue, and the use: told in this order, and which orders
// suffice is said by their indexes.
func TestStoryOfACore(t *testing.T) {
	p := ofCore(t, "a.go", hub, `
main spawn publish a.go:20
main spawn stop a.go:21
publish start
publish read h.closed=0 a.go:4
stop start
stop write h.closed=1 a.go:11
stop close h.ch a.go:12
publish panicstart a.go:7
outcome panic publish "panic: send on closed channel" a.go:7
var h.closed bool
`, "", cause.Literal{Before: 3, After: 5}, cause.Literal{Before: 6, After: 7})
	want := "`publish` read false from `h.closed` (line 4); `stop` then set it to true (11) and closed `h.ch` (12); `publish` tried to send on it (7)."
	if p.Sentence != want {
		t.Errorf("sentence\n%s\nwant\n%s", p.Sentence, want)
	}
	if got := []report.Order{{Before: 0, After: 1}, {Before: 2, After: 3}}; p.Cause == nil || p.Cause.Runs != 30 || !slices.Equal(p.Cause.Orders, got[:1]) && !slices.Equal(p.Cause.Orders, got) {
		t.Errorf("orders %+v", p.Cause)
	}
}

// A passing run that only the search for the cause made is compared with, too.
func TestPassingRunOfTheCause(t *testing.T) {
	fx := &fixture{files: map[string]string{"a.go": poller}}
	opt := tracetest.Options{Dir: dir, FuncAt: fx.funcAt(t)}
	read := func(string) ([]byte, error) { return []byte(poller), nil }
	in := Input{Roots: site.Roots{Module: "/src"}, Files: source.NewFiles(read), Fail: build(t, pollerFails, opt)}
	in.Cause = &cause.Cause{Core: []cause.Literal{{Before: 2, After: 1, Late: true}}, Held: 30, Late: build(t, pollerPasses, opt)}
	if p := Project(in); !p.Compared || !strings.HasPrefix(p.MustNot, "Line 6 must come before") {
		t.Errorf("compared: %v; %s", p.Compared, p.MustNot)
	}
}

// A line is cut between characters.
func TestLongLine(t *testing.T) {
	src := strings.Replace(poller, "p.hook()", "p.hook(\""+strings.Repeat("\u00e9", 40)+"\")", 1)
	for _, s := range []string{src, strings.Replace(src, "p.hook(\"", "p.hook(\"x", 1)} {
		p := ofCore(t, "a.go", s, pollerFails, pollerPasses, cause.Literal{Before: 2, After: 1, Late: true})
		for _, r := range p.Rows {
			if !utf8.ValidString(r.Code) {
				t.Errorf("%q", r.Code)
			}
		}
	}
}

const pollerFails = `
main spawn loop a.go:5
loop start
loop read p.hook=0 a.go:11
loop panicstart a.go:11
outcome panic loop "panic: nil pointer" a.go:11
var p.hook func()
`

const pollerPasses = `
main spawn loop a.go:5
main write p.hook=1 a.go:6
loop start
loop read p.hook=1 a.go:11
main end
`

const poller = `package main

func start(hook func()) *poller {
	p := &poller{}
	go p.loop()
	p.hook = hook
	return p
}

func (p *poller) loop() {
	p.hook()
}
`

// What came too early had been started by who came too late.
func TestStartedTooEarly(t *testing.T) {
	p := ofCore(t, "a.go", poller, pollerFails, pollerPasses, cause.Literal{Before: 2, After: 1, Late: true})
	if !strings.Contains(p.Sentence, "which had started it before that (5)") || !strings.HasPrefix(p.MustNot, "Line 6 must come before the go statement of line 5") {
		t.Errorf("%s %s", p.Sentence, p.MustNot)
	}
	wantLines(t, p, 5, 11, 6)
}

// A region that an order of the core begins and another one ends; the same in a test's
// own lines is no advice if the bug is elsewhere.
func TestInterruptedRegion(t *testing.T) {
	src := "package main\n\nfunc take() {\n\tif free > 0 {\n\t\tfree--\n\t}\n}\n"
	fail := strings.ReplaceAll(`
main spawn take FILE:20
main spawn take#2 FILE:21
take start
take read free=1 FILE:4
take#2 start
take#2 read free=1 FILE:4
take#2 write free=0 FILE:5
take write free=-1 FILE:5
take panicstart FILE:9
outcome panic take "panic: oversold" FILE:9
`, "FILE", "a.go")
	core := []cause.Literal{{Before: 3, After: 6}, {Before: 6, After: 7}}
	p := ofCore(t, "a.go", src, fail, "", core...)
	if p.Class != Atomicity || p.Region == nil || p.Region.From != 4 || p.Region.To != 5 || p.MustNot == "" {
		t.Errorf("%s %+v %q", p.Class, p.Region, p.MustNot)
	}
	if len(p.Cause.Orders) != 2 {
		t.Errorf("orders %+v of %+v", p.Cause, p.RootCause)
	}
	inTest := strings.ReplaceAll(fail, "a.go", "a_test.go")
	if p := ofCore(t, "a_test.go", src, inTest, "", core...); p.Region == nil {
		t.Error("of a program that is all test: no region")
	}
	elsewhere := strings.Replace(inTest, "take#2 write free=0 a_test.go:5", "take#2 write free=0 b.go:5:main.other", 1)
	if p := ofCore(t, "a_test.go", src, elsewhere, "", core...); p.MustNot != "" || p.Region != nil {
		t.Errorf("of the test: %q", p.MustNot)
	}
}

const job = `package main

func (j *job) run() {
	j.done.Store(true)
	j.out.Store(text)
}

func (j *job) wait() string {
	for !j.done.Load() {
		pause()
	}
	return *j.out.Load()
}
`

// What came too early had read that all was ready: that is told, and what must be
// turned round.
func TestToldReadyTooEarly(t *testing.T) {
	start := "main spawn run a.go:20\nmain spawn wait a.go:21\nrun start\nwait start\n"
	vars := "var j.done bool\nvar j.out int\n"
	p := ofCore(t, "a.go", job, start+`
wait load j.done=0 a.go:9
run store j.done=1 a.go:4
wait load j.done=1 a.go:9
wait load j.out=0 a.go:12
wait panicstart a.go:12
outcome panic wait "panic: nil pointer" a.go:12
`+vars, start+`
wait load j.done=0 a.go:9
run store j.done=1 a.go:4
run store j.out=1 a.go:5
wait load j.done=1 a.go:9
wait load j.out=1 a.go:12
`+vars, cause.Literal{Before: 7, After: 6, Late: true})
	want := "`run` set `j.done` to true (line 4); `wait` then read it (9) and read 0 from `j.out` (12) before `run` set it to 1 (5)."
	if p.Sentence != want {
		t.Errorf("sentence\n%s\nwant\n%s", p.Sentence, want)
	}
	if want := "Line 5 of `run` must come before line 4."; p.MustNot != want {
		t.Errorf("advice %q", p.MustNot)
	}
	wantLines(t, p, 4, 9, 12, 5)
}

const announcer = `package main

func (s *server) load() {
	s.ready <- struct{}{}
	s.cfg = read()
}

func (s *server) serve() {
	<-s.ready
	use(s.cfg)
}

func (s *server) each() {
	for _, x := range s.all {
		s.ready <- x
	}
	s.cfg = read()
}
`

// A message came before what it announces: it belongs to the cause, also where its sender
// did not go on before the run ended.
func TestAnnouncedTooEarly(t *testing.T) {
	start := "main spawn load a.go:20\nload start\n"
	vars := "var s.cfg int\nvar s.ready chan\n"
	end := `
main read s.cfg=0 a.go:10:main.(*server).serve
main panicstart a.go:10:main.(*server).serve
outcome panic main "panic: nil" a.go:10:main.(*server).serve
`
	pass := start + `
load send s.ready a.go:4
load write s.cfg=1 a.go:5
main recv s.ready a.go:9:main.(*server).serve
main read s.cfg=1 a.go:10:main.(*server).serve
`
	const want = "`load` sent on `s.ready` (line 4); `main` then received from it (9) and read 0 from `s.cfg` (10) before `load` set it to 1 (5)."
	for name, fail := range map[string]string{
		"sent":           "load send s.ready a.go:4\nmain recv s.ready a.go:9:main.(*server).serve\n",
		"recorded later": "main block s.ready a.go:9:main.(*server).serve\nmain recv s.ready a.go:9:main.(*server).serve\nload send s.ready a.go:4\n",
		"waits still":    fmt.Sprintf("load block s.ready=0/%d a.go:4\nmain unblock -=0/2\nmain recv s.ready a.go:9:main.(*server).serve\n", trace.OpSend),
	} {
		read := strings.Count(start+fail, "\n")
		p := ofCore(t, "a.go", announcer, start+fail+end+vars, pass+vars, cause.Literal{Before: read, After: 3, Late: true})
		if p.Sentence != want || p.MustNot != "Line 5 of `load` must come before line 4." {
			t.Errorf("%s: %s %s", name, p.Sentence, p.MustNot)
		}
		if name != "recorded later" {
			wantLines(t, p, 4, 9, 10, 5)
		}
	}
	loop := strings.NewReplacer("load", "each", "a.go:4", "a.go:15", "a.go:5", "a.go:17")
	fail := start + "load send s.ready a.go:4\nmain recv s.ready a.go:9:main.(*server).serve" + end
	p := ofCore(t, "a.go", announcer, loop.Replace(fail+vars), loop.Replace(pass+vars), cause.Literal{Before: 4, After: 3, Late: true})
	if !strings.HasPrefix(p.Sentence, "`each` sent on `s.ready` (line 15)") || p.MustNot != "" {
		t.Errorf("what comes after a loop can't come before it: %s %s", p.Sentence, p.MustNot)
	}
}

// What the failing run had not come to ends the story.
func TestStoryWithALateStep(t *testing.T) {
	src := "package main\n\nfunc observe() {\n\tbucket++\n\tcount++\n}\n\nfunc scrape() {\n\tn := count\n\tb := bucket\n}\n"
	p := ofCore(t, "a.go", src, `
main spawn observe a.go:20
observe start
observe rmw bucket=1 a.go:4:main.observe
main load count=0 a.go:9:main.scrape
main load bucket=1 a.go:10:main.scrape
main panicstart a.go:15
outcome panic main "panic: more than all" a.go:15
`, `
main spawn observe a.go:20
observe start
observe rmw bucket=1 a.go:4:main.observe
observe rmw count=1 a.go:5:main.observe
main load count=1 a.go:9:main.scrape
main load bucket=1 a.go:10:main.scrape
main end
`, cause.Literal{Before: 2, After: 4}, cause.Literal{Before: 3, After: 3, Late: true})
	want := "`observe` set `bucket` to 1 (line 4); `main` then read 0 from `count` (9) and read 1 from `bucket` (10), before `observe` set `count` to 1 (5)."
	if p.Sentence != want {
		t.Errorf("sentence\n%s\nwant\n%s", p.Sentence, want)
	}
	wantLines(t, p, 4, 9, 10, 5)
}

const cron = `package main

func (c *cron) tick() {
	go c.run()
}

func (c *cron) run() {
	c.wg.Add(1)
	c.ran = true
	c.wg.Done()
}

func (c *cron) stop() {
	c.wg.Wait()
	if !c.ran {
		panic("not waited for")
	}
}
`

// A wait that did not count who came too late is the missing link.
func TestWaitThatDidNotCount(t *testing.T) {
	p := ofCore(t, "a.go", cron, `
main spawn run a.go:4
main wgwait c.wg a.go:14:main.(*cron).stop
main read c.ran=0 a.go:15:main.(*cron).stop
main panicstart a.go:16:main.(*cron).stop
outcome panic main "panic: not waited for" a.go:16:main.(*cron).stop
`, `
main spawn run a.go:4
run start
run wgadd c.wg=1 a.go:8
run write c.ran=1 a.go:9
run wgdone c.wg=-1 a.go:10
main wgwait c.wg a.go:14:main.(*cron).stop
main read c.ran=1 a.go:15:main.(*cron).stop
main end
`, cause.Literal{Before: 2, After: 3, Late: true})
	const want = "`main` read 0 from `c.ran` (line 15) before `run` set it to 1 (9). `main` had waited for `c.wg` (14) before `run` called Add on it (8)."
	if p.Sentence != want {
		t.Errorf("sentence\n%s\nwant\n%s", p.Sentence, want)
	}
	if want := "Line 8 must come before the go statement of line 4."; p.MustNot != want {
		t.Errorf("advice %q", p.MustNot)
	}
	wantLines(t, p, 14, 15, 8, 9)
}

// What closed a channel had waited for senders, one of which added itself later only.
func TestWaitBeforeTheSenderCounted(t *testing.T) {
	src := "package main\n\nfunc (s *server) serve() {\n\ts.wg.Add(1)\n\ts.out <- 1\n}\n\nfunc (s *server) stop() {\n\ts.wg.Wait()\n\tclose(s.out)\n}\n"
	p := ofCore(t, "a.go", src, `
main spawn serve a.go:20
main wgwait s.wg a.go:9:main.(*server).stop
main close s.out a.go:10:main.(*server).stop
serve start
serve wgadd s.wg=1 a.go:4
serve panicstart s.out a.go:5
outcome panic serve "panic: send on closed channel" a.go:5
`, `
main spawn serve a.go:20
serve start
serve wgadd s.wg=1 a.go:4
serve send s.out=1/4294967296 a.go:5
serve wgdone s.wg=-1 a.go:6
main wgwait s.wg a.go:9:main.(*server).stop
main close s.out a.go:10:main.(*server).stop
main end
`, cause.Literal{Before: 2, After: 5})
	if want := "`main` had waited for `s.wg` (9) before `serve` called Add on it (4)."; !strings.Contains(p.Sentence, want) {
		t.Errorf("sentence\n%s\nwant in it\n%s", p.Sentence, want)
	}
	if want := "Line 4 must come before the go statement of line 20."; p.MustNot != want {
		t.Errorf("advice %q", p.MustNot)
	}
}

const places = `package main

func (l *limit) acquire() {
	l.slots <- one
	l.used++
}

func (l *limit) release() {
	<-l.slots
	l.used--
}
`

// What the goroutine of an interrupted region did in it that let the other go on: it made
// room in a buffer.
func TestRegionThatLetsTheOtherIn(t *testing.T) {
	p := ofCore(t, "a.go", places, `
main spawn use a.go:20
main spawn use#2 a.go:20
use start
use#2 start
use send l.slots=1/4294967297 a.go:4:main.(*limit).acquire call a.go:14
use write l.used=1 a.go:5:main.(*limit).acquire call a.go:14
use recv l.slots=1/4294967297 a.go:9:main.(*limit).release call a.go:15
use#2 send l.slots=1/4294967297 a.go:4:main.(*limit).acquire call a.go:14
use#2 write l.used=2 a.go:5:main.(*limit).acquire call a.go:14
use write l.used=1 a.go:10:main.(*limit).release call a.go:15
main read l.used=2 a.go:22
main panicstart a.go:23
outcome panic main "panic: two at once" a.go:23
`, "", cause.Literal{Before: 5, After: 8}, cause.Literal{Before: 8, After: 9})
	if !strings.Contains(p.Sentence, "in between (5), after `use` received from `l.slots` (9).") {
		t.Error(p.Sentence)
	}
	wantLines(t, p, 5, 9, 5, 10)
}

const first = `package main

func (c *client) do(x int) {
	c.once.Do(func() {
		c.conn = x
	})
	use(c.conn)
}
`

// Who was the first at a Once says nothing of what went wrong: what it led to is told.
func TestWhatAnOrderLedTo(t *testing.T) {
	vars := "var c.conn int\n"
	start := "main spawn other a.go:20\nother start\n"
	p := ofCore(t, "a.go", first, start+`
other write c.conn=0 a.go:5:main.(*client).do call a.go:30
other once c.once=1 a.go:4:main.(*client).do call a.go:30
main once c.once=0 a.go:4:main.(*client).do call a.go:21
main read c.conn=0 a.go:7:main.(*client).do call a.go:21
main panicstart a.go:7:main.(*client).do call a.go:21
outcome panic main "panic: nil" a.go:7:main.(*client).do call a.go:21
`+vars, start+`
main write c.conn=1 a.go:5:main.(*client).do call a.go:21
main once c.once=1 a.go:4:main.(*client).do call a.go:21
other once c.once=0 a.go:4:main.(*client).do call a.go:30
main read c.conn=1 a.go:7:main.(*client).do call a.go:21
main end
`+vars, cause.Literal{Before: 3, After: 4})
	if !strings.HasSuffix(p.Sentence, " `main` then read 0 from `c.conn` (7), which `other` had written (5).") {
		t.Error(p.Sentence)
	}
	wantLines(t, p, 5, 4, 4, 7)
}

// What a call found that another call had left, such as an error of a context, was not
// written by a line of the user's.
func TestWhatACallLedTo(t *testing.T) {
	start := "main spawn other a.go:20\nother start\n"
	const cancels = "other store ctx.err=1 std/context/context.go:560:context.(*cancelCtx).cancel call std/context/context.go:240:context.WithCancel.func1 call a.go:5:main.(*client).do call a.go:30\n"
	const asks = " std/context/context.go:460:context.(*cancelCtx).Err call a.go:7:main.(*client).do call a.go:21\n"
	const fails = "main panicstart a.go:7:main.(*client).do call a.go:21\noutcome panic main \"panic: nil\" a.go:7:main.(*client).do call a.go:21\n"
	p := ofCore(t, "a.go", first, start+cancels+`
other once c.once=1 a.go:4:main.(*client).do call a.go:30
main once c.once=0 a.go:4:main.(*client).do call a.go:21
main load ctx.err=1`+asks+fails, start+`
main once c.once=1 a.go:4:main.(*client).do call a.go:21
other once c.once=0 a.go:4:main.(*client).do call a.go:30
main load ctx.err=0`+asks+"main end\n", cause.Literal{Before: 3, After: 4})
	if !strings.HasSuffix(p.Sentence, " `main` then called `cancelCtx.Err` (7), after `other` had cancelled `ctx.err` (5).") {
		t.Error(p.Sentence)
	}
}

// What package testing does in its functions is the cause of nothing, messages included.
func TestTestingIsInternal(t *testing.T) {
	in := Input{Roots: site.Roots{Module: "/src"}, Fail: build(t, `
main send t.signal std/testing/testing.go:1500:testing.(*T).Parallel call a.go:5
main send user.ch std/io/pipe.go:60:io.(*pipe).write call a.go:6
main write conf a.go:7
main panicstart a.go:8
outcome panic main "panic: nil" a.go:8
`, tracetest.Options{Dir: dir})}
	far := Distances(in)
	if far(0) != cause.MostCost || far(1) == cause.MostCost || far(2) == cause.MostCost {
		t.Errorf("distances %v, %v, %v", far(0), far(1), far(2))
	}
}

// A receive that waited for the other side is not said to come before its send.
func TestReceiveThatWaited(t *testing.T) {
	p := ofCore(t, "a.go", announcer, `
main spawn load a.go:20
load start
main block s.ready a.go:9:main.(*server).serve
load unblock -=0/1
load send s.ready a.go:4
main recv s.ready a.go:9:main.(*server).serve
main panicstart a.go:10:main.(*server).serve
outcome panic main "panic: order" a.go:10:main.(*server).serve
`, "", cause.Literal{Before: 5, After: 4})
	if want := "`main` waited to receive from `s.ready` (line 9) when `load` sent on it (4)."; p.Sentence != want || p.Cause == nil || p.MustNot != "" {
		t.Errorf("%s %s %+v", p.Sentence, p.MustNot, p.Cause)
	}
}
