package projection

import (
	"fmt"
	"strings"
	"testing"
)

const lookupText = `package m

func (c *cache) find() *table {
	return c.open
}

func serve(c *cache) {
	c.questions.Add(1)
	o := c.find()
	use(o.cursor)
}

func flush(c *cache) {
	c.questions.Add(1)
	c.last.cursor = nil
	c.open = nil
}
`

// What was looked up, and taken away before it was used, is told from the look-up on. That
// both counted their calls before has nothing to do with it.
func TestFoundBeforeItWasTakenAway(t *testing.T) {
	const serve = "serve rmw c.questions=1 a.go:8\n"
	const flush = "flush rmw c.questions=2 a.go:14\nflush write o.cursor=0 a.go:15\n"
	start := "main spawn serve a.go:30\nmain spawn flush a.go:31\nserve start\nflush start\n"
	end := "serve read o.cursor=0 a.go:10\nserve panicstart a.go:10\noutcome panic serve \"panic: nil pointer\" a.go:10\n"
	pass := start + serve + "serve read c.open=7 a.go:4 call a.go:9\nserve read o.cursor=5 a.go:10\n" + flush + "flush write c.open=0 a.go:16\n"

	p := program(t, lookupText, start+serve+"serve read c.open=7 a.go:4 call a.go:9\n"+flush+"flush write c.open=0 a.go:16\n"+end, pass)
	wantWords(t, p, "`serve` read 7 from `c.open` (line 4, called at 9) and read 0 from `o.cursor` (10), because `flush` set `o.cursor` to 0 in between (15).",
		"Lines 9-10 of `serve` must run without `flush` in between.")

	p = program(t, lookupText, start+serve+"serve read c.open=7 a.go:4 call a.go:9\n"+flush+end, pass)
	if strings.Contains(p.Sentence, "questions") || !strings.HasPrefix(p.Sentence, "`flush` set `o.cursor` to 0 (line 15) before `serve` read it (10).") {
		t.Errorf("sentence %q", p.Sentence)
	}
}

// Where no orders are known to suffice, that one value was read new and the other one old
// is told of both. What set them up before was not interrupted.
func TestHalfWrittenWithoutACore(t *testing.T) {
	start := "main write s.limit=10 a.go:29\nmain write s.burst=20 a.go:29\nmain spawn set a.go:30\nset start\n"
	read := func(burst int) string {
		return fmt.Sprintf("main read s.limit=%d a.go:9:m.(*store).room\nmain read s.burst=%d a.go:10:m.(*store).room\n", burst/2, burst)
	}
	end := "main panicstart a.go:10:m.(*store).room\noutcome panic main \"panic: half\" a.go:10:m.(*store).room\n"
	p := program(t, pairText, start+"set write s.limit=100 a.go:4\n"+strings.Replace(read(20), "=10 ", "=100 ", 1)+"set write s.burst=200 a.go:5\n"+end,
		start+"set write s.limit=100 a.go:4\nset write s.burst=200 a.go:5\n"+read(200))
	wantWords(t, p, "`set` set `s.limit` to 100 (line 4); `main` then read it (9) and read 20 from `s.burst` (10) before `set` set it to 200 (5).",
		"Lines 4-5 of `set` must run without `main` in between.")
	if p.Class != Atomicity {
		t.Errorf("it is a %s", p.Class)
	}
}

// What was read of the two values must have to do with the failure: what was only written
// to a log is no half of anything.
func TestHalfReadOfNoUse(t *testing.T) {
	for body, want := range map[string]Class{
		"\tlog(s.started)\n\treturn s.limit":                                   Order,
		"\tok := s.started\n\treturn s.limit * factor(ok)":                     Atomicity,
		"\tok := s.started\n\tn := s.limit; if ok {\n\t\tn++\n\t}\n\treturn n": Atomicity,
	} {
		src := "package m\n\nfunc (s *store) set(v int) {\n\ts.started = true\n\tv = compute(v)\n\ts.limit = v\n}\n\nfunc (s *store) room() int {\n" + body + "\n}\n"
		const room = " call a.go:40:m.main\n"
		start := "main spawn set a.go:30\nset start\nset write s.started=1 a.go:4\nmain read s.started=1 a.go:10:m.(*store).room" + room
		p := program(t, src, start+"main read s.limit=0 a.go:11:m.(*store).room"+room+"set write s.limit=5 a.go:6\nmain panicstart a.go:41:m.main\noutcome panic main \"panic: zero\" a.go:41:m.main\n",
			start+"set write s.limit=5 a.go:6\nmain read s.limit=5 a.go:11:m.(*store).room"+room)
		if p.Class != want {
			t.Errorf("%s\n%s: %s %s, want %s", body, p.Class, p.Sentence, p.MustNot, want)
		}
	}
}

// What was written again as it was, was not taken away.
func TestFoundAndWrittenAgain(t *testing.T) {
	const src = "package m\n\nfunc serve(c *cache) {\n\to := c.open\n\tuse(o.cursor)\n}\n\nfunc flush(c *cache) {\n\tc.open = next(c)\n\tc.last.cursor = nil\n}\n"
	start := "main spawn serve a.go:30\nmain spawn flush a.go:31\nserve start\nflush start\nserve read c.open=7 a.go:4\n"
	for value, want := range map[string]Class{"7": Order, "8": Atomicity} {
		flush := "flush read c.open=7 a.go:9\nflush write c.open=" + value + " a.go:9\nflush write o.cursor=0 a.go:10\n"
		p := program(t, src, start+flush+"serve read o.cursor=0 a.go:5\nserve panicstart a.go:5\noutcome panic serve \"panic: nil\" a.go:5\n",
			start+"serve read o.cursor=5 a.go:5\n"+flush)
		if p.Class != want {
			t.Errorf("written %s: %s, %s %s", value, p.Class, p.Sentence, p.MustNot)
		}
	}
}
