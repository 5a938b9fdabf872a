package projection

import (
	"strings"
	"testing"
)

// The only receiver was in a select, and took another case; no passing run shows
// the send going on.
func TestSelectThatPassedASenderBy(t *testing.T) {
	src := `package main

func finish(errc, late chan int) {
	select {
	case <-errc:
	case <-late:
		return
	}
}
`
	p := told(t, src, `
main spawn send a.go:1
send start
main selectcase late=0/4294967296 a.go:4
main selectcase errc=1/0 a.go:4
main send late=1/1 a.go:12
main select late=0/2 a.go:4
main end
send block errc=0/25 a.go:20
blocked send send errc a.go:20
outcome leak "1 goroutine is blocked for ever"
`, "")
	expect(t, p, "`send` waits to send on `errc` (line 20), which is unbuffered; `main` took `<-late` (6) instead of `<-errc` (5) and returned (7).",
		"`errc` needs a buffer for what is sent after `main` has left, or the send (20) must be in a select with a case that ends it.", 6, 7, 20)
}

// A slot that was taken and is not given back.
func TestSlotThatIsNotGivenBack(t *testing.T) {
	src := `package main

func do(l *limiter) {
	l.slots <- 1
	if l.bad.Load() {
		return
	}
	<-l.slots
}
`
	start := "var l.bad atomic.Bool\nmain spawn do a.go:20\nmain spawn do#2 a.go:20\nmain spawn spoil a.go:21\ndo start\ndo#2 start\nspoil start\n"
	one := "4294967297" // one of one
	p := told(t, src, start+`
spoil store l.bad=true a.go:30
do send l.slots=1/`+one+` a.go:4
do load l.bad=true a.go:5
do end
do#2 block l.slots a.go:4
main block wg a.go:22
blocked do#2 send l.slots a.go:4
blocked main wgwait wg a.go:22
outcome deadlock "all goroutines are asleep"
`, start+`
do send l.slots=1/`+one+` a.go:4
do load l.bad=false a.go:5
do recv l.slots=1/4294967296 a.go:8
do#2 send l.slots=1/`+one+` a.go:4
do#2 load l.bad=false a.go:5
do#2 recv l.slots=1/4294967296 a.go:8
spoil store l.bad=true a.go:30
`)
	expect(t, p, "`do#2` waits to send on `l.slots` (line 4), whose buffer of 1 is full; `do` had sent on `l.slots` (4), read true from `l.bad` (5), after `spoil` had set it to true (30), and returned (6) without receiving from `l.slots` (8).",
		"`do` must give back what it took (4) when it leaves there, too.", 30, 4, 5, 6, 4)
}

// A Wait that returned before the Add that it should have seen.
func TestAddAfterTheWait(t *testing.T) {
	src := `package main

func drain(out, done chan int) {
	for {
		select {
		case <-out:
		case <-done:
			return
		}
	}
}
`
	start := "main spawn add a.go:20\nmain spawn closer a.go:24\nadd start\ncloser start\n"
	p := told(t, src, start+`
closer wgwait wg a.go:25
closer close done=1/0 a.go:26
main select done=0/2 a.go:5
main end
add wgadd wg=1 a.go:15
add block out=0/25 a.go:17
blocked add send out a.go:17
outcome leak "1 goroutine is blocked for ever"
`, start+`
add wgadd wg=1 a.go:15
add send out=1/0 a.go:17
main select out=1/2 a.go:5
add wgdone wg=-1 a.go:18
closer wgwait wg a.go:25
closer close done=1/0 a.go:26
main select done=0/2 a.go:5
`)
	expect(t, p, "`add` waits to send on `out` (line 17), which is unbuffered; `main` took `<-done` (7), which `closer` closed (26), instead of `<-out` (6) and returned (8); "+
		"`closer` had returned from Wait on `wg` (25) before `add` called Add (15).",
		"The Add (15) must come before the Wait (25), in the goroutine that starts `add`.", 25, 7, 8, 15, 17)
}

// Three that wait for each other, one of them for a message: each is told with what
// the one before needs of it.
func TestCycleOfThree(t *testing.T) {
	start := "main spawn pop a.go:1\nmain spawn stop a.go:2\nmain spawn add a.go:3\npop start\nstop start\nadd start\n"
	p, _ := plain(t, start+`
pop lock mu a.go:10
pop block quit a.go:11
add block mu a.go:30
stop block result a.go:20
blocked pop recv quit a.go:11
blocked stop recv result a.go:20
blocked add lock mu a.go:30 holder pop
outcome leak "3 goroutines are blocked for ever"
`, start+`
add lock mu a.go:30
add unlock mu a.go:31
add close result=1/0 a.go:32
stop recv result=2/0 a.go:20
stop close quit=1/0 a.go:21
pop lock mu a.go:10
pop recv quit=2/0 a.go:11
pop unlock mu a.go:12
`)
	expect(t, p, "`pop` holds `mu` (line 10) and waits to receive from `quit` (line 11); "+
		"`stop`, which has yet to close `quit` (21), waits to receive from `result` (line 20); "+
		"`add`, which has yet to close `result` (32), waits to lock `mu` (line 30).",
		"`pop` must not wait to receive from `quit` while it holds `mu`, which `add` needs.", 10, 11, 30, 20)
}

// A message to nobody: it was sent without waiting, before the other came to wait.
func TestMessageToNobody(t *testing.T) {
	start := "main spawn w a.go:1\nw start\n"
	p, _ := plain(t, start+`
main send wake=0/0 a.go:13
w block wake a.go:24
main block done a.go:26
blocked main recv done a.go:26
blocked w recv wake a.go:24
outcome deadlock "all goroutines are asleep"
`, start+`
main send wake=1/0 a.go:13
w recv wake=1/0 a.go:24
w close done=1/0 a.go:25
main recv done=2/0 a.go:26
`)
	if p.Class != Missed {
		t.Errorf("class %s", p.Class)
	}
	expect(t, p, "`w` waits to receive from `wake` (line 24); `main` came to send on it before that (13), when nobody waited, and took `default`: that message was dropped.",
		"The channel needs a buffer of 1, so that what is sent at line 13 is kept.", 13, 24)
}

// Who holds a place in a buffered channel and waits for another one is told as that, with the
// callers where both are taken by one line.
func TestPlacesHeldWhileOthersAreWaitedFor(t *testing.T) {
	src := `package main

func run(sem chan int, f func()) {
	sem <- 1
	f()
	<-sem
}

func work(sem chan int) {
	run(sem, func() {
		f()
		run(sem, f)
	})
}
`
	two := "8589934592" // a buffer of two
	p := told(t, src, `
main spawn build a.go:20
main spawn build#2 a.go:20
build start
build#2 start
build send sem=1/`+two+` a.go:4:run call a.go:10
build#2 send sem=1/`+two+` a.go:4:run call a.go:10
build block sem=0/`+two+` a.go:4:run call a.go:12
build#2 block sem=0/`+two+` a.go:4:run call a.go:12
main block wg a.go:22
blocked build send sem a.go:4:run call a.go:12
blocked build#2 send sem a.go:4:run call a.go:12
blocked main wgwait wg a.go:22
outcome deadlock "all goroutines are asleep"
`, `
main spawn build a.go:20
main spawn build#2 a.go:20
build start
build#2 start
build send sem=1/`+two+` a.go:4:run call a.go:10
build send sem=1/`+two+` a.go:4:run call a.go:12
build recv sem=1/`+two+` a.go:6:run call a.go:12
build recv sem=1/`+two+` a.go:6:run call a.go:10
build#2 send sem=1/`+two+` a.go:4:run call a.go:10
build#2 send sem=1/`+two+` a.go:4:run call a.go:12
build#2 recv sem=1/`+two+` a.go:6:run call a.go:12
build#2 recv sem=1/`+two+` a.go:6:run call a.go:10
main wgwait wg a.go:22
`)
	const want = "`build` has a place in `sem` (line 4, called at 10) and waits to send on `sem` (line 4, called at 12), whose buffer of 2 is full"
	if !strings.Contains(p.Sentence, want) {
		t.Errorf("sentence\n%s\nwant in it\n%s", p.Sentence, want)
	}
}

// A message that was dropped as the buffer was full is the reason, though no passing run
// shows it being taken; a later one that was taken is told against it.
func TestMessageThatWasDropped(t *testing.T) {
	src := `package main

func put(c chan int, v int) {
	select {
	case c <- v:
	default:
	}
}
`
	start := "main spawn w a.go:20\nw start\n"
	one := "4294967296" // a buffer of one
	end := "main end\nw block c a.go:24\nblocked w recv c a.go:24\noutcome leak \"1 goroutine is blocked for ever\"\n"
	put, refused, get := "main send c=1/"+one+" a.go:5\n", "main send c=0/"+one+" a.go:5\n", "w recv c=1/"+one+" a.go:24\n"
	p := told(t, src, start+put+refused+get+end, "")
	expect(t, p, "`w` waits to receive from `c` (line 24); `main` came to send on it before that (5), when its buffer of 1 was full, and took `default`: that message was dropped.", "", 5, 24)
	p = told(t, src, start+put+refused+get+put+get+end, "")
	if strings.Contains(p.Sentence, "dropped") {
		t.Errorf("a message came after the one that was dropped: %s", p.Sentence)
	}
}

// A loop that tries a lock which nobody gives back.
func TestLoopThatTriesALock(t *testing.T) {
	start := "main spawn hold a.go:1\nhold start\n"
	p, _ := plain(t, start+`
hold lock b a.go:27
hold end
main trylock b=0 a.go:17
main trylock b=0 a.go:17
blocked main trylock b a.go:17
outcome livelock main "a goroutine loops for ever" a.go:17
`, start+`
main trylock b=1 a.go:17
main unlock b a.go:18
hold lock b a.go:27
hold unlock b a.go:31
hold end
`)
	expect(t, p, "`main` goes round for ever (line 17): each time it fails to lock `b` (17), which `hold` locked (27) and never unlocked; `hold` ended without unlocking `b` (31).",
		"`hold` must unlock `b` when it leaves, too.", 27, 17, 31)
}

// Who counted wrongly closes nothing; what decided that is told, not where it ended.
func TestCloseThatNobodyCameTo(t *testing.T) {
	src := `package main

func w(out chan int) {
	left := n
	n = left - 1
	if n == 0 {
		close(out)
	}
	mu.Unlock()
}
`
	start := "var n int\nmain write n=2 a.go:20\nmain spawn w a.go:21\nmain spawn w#2 a.go:21\nw start\nw#2 start\n"
	p := told(t, src, start+`
w read n=2 a.go:4
w#2 read n=2 a.go:4
w write n=1 a.go:5
w read n=1 a.go:6
w end
w#2 write n=1 a.go:5
w#2 read n=1 a.go:6
w#2 end
main block out a.go:22
blocked main recv out a.go:22
outcome deadlock "all goroutines are asleep"
`, start+`
w read n=2 a.go:4
w write n=1 a.go:5
w read n=1 a.go:6
w end
w#2 read n=1 a.go:4
w#2 write n=0 a.go:5
w#2 read n=0 a.go:6
w#2 close out=1/0 a.go:7
w#2 end
main recv out=2/0 a.go:22
`)
	expect(t, p, "`main` waits to receive from `out` (line 22); `w#2` read 1 from `n` (6), before `w` set it to 1 (5), and ended without closing `out` (7).",
		"", 6, 22)
}

// A worker that was told to end before it took the job: the select of the passing run's
// next round is the one that took another case.
func TestSelectOfALaterRound(t *testing.T) {
	const src = `package main

func work(w *worker) {
	for {
		select {
		case <-w.quit:
			return
		case f := <-w.jobs:
			f()
		}
	}
}

func do(w *worker) {
	w.jobs <- f
}
`
	start := "main spawn work a.go:30\nmain spawn do a.go:31\nwork start\ndo start\n"
	p := told(t, src, start+`
main close w.quit=1/0 a.go:33
work read w.jobs=1 a.go:8
work select w.quit=1/2 a.go:5
work end
do block w.jobs=0/25 a.go:15
blocked do send w.jobs a.go:15
outcome leak "1 goroutine is blocked for ever"
`, start+`
work lock w.mu a.go:4
work unlock w.mu a.go:4
work read w.jobs=1 a.go:8
do send w.jobs=1/0 a.go:15
work select w.jobs=0/2 a.go:5
do end
main close w.quit=1/0 a.go:33
work read w.jobs=1 a.go:8
work select w.quit=1/2 a.go:5
work end
`)
	expect(t, p, "`do` waits to send on `w.jobs` (line 15), which is unbuffered; `work` took `<-w.quit` (6), which `main` closed (33), instead of `f := <-w.jobs` (8) and returned (7).",
		"`w.jobs` needs a buffer for what is sent after `work` has left, or the send (15) must be in a select with a case that ends it.", 6, 7, 15)
}

// What was sent for the waiter went to somebody else.
func TestMessageThatAnotherGot(t *testing.T) {
	src := `package main

func other(ack chan int) {
	<-ack
}
`
	start := "main spawn send a.go:20\nmain spawn other a.go:21\nsend start\nother start\n"
	p := told(t, src, start+`
send send ack=1/1 a.go:10
other recv ack=1/1 a.go:4
other end
main block ack a.go:22
blocked main recv ack a.go:22
outcome deadlock "all goroutines are asleep"
`, start+`
send send ack=1/1 a.go:10
main recv ack=1/1 a.go:22
other block ack a.go:4
main end
`)
	expect(t, p, "`main` waits to receive from `ack` (line 22); `other` received from `ack` (4), which `send` sent (10).", "", 10, 4, 22)
}

// What would have received took another case of its select and is out of reach of it.
func TestCycleWithOneThatLeftASelect(t *testing.T) {
	src := `package main

func first(res, done chan int, wg *group) {
	select {
	case <-res:
	case <-done:
	}
}

func run(res, done chan int, wg *group) {
	first(res, done)
	wg.Wait()
}

func ask(res chan int, wg *group) {
	defer wg.Done()
	res <- 1
}
`
	start := "main spawn ask a.go:30\nmain spawn stop a.go:31\nask start\nstop start\n"
	p := told(t, src, start+`
stop close done=1/0 a.go:40
main select done=0/2 a.go:4 call a.go:11
ask block res a.go:17
main block wg a.go:12
blocked main wgwait wg a.go:12
blocked ask send res a.go:17
outcome deadlock "all goroutines are asleep"
`, start+`
ask send res=1/0 a.go:17
main select res=1/2 a.go:4 call a.go:11
ask wgdone wg=-1 a.go:16
main wgwait wg a.go:12
`)
	expect(t, p, "`main`, which took `<-done` (6), which `stop` closed (40), instead of `<-res` (5), waits for `wg` (line 12); "+
		"`ask`, which has yet to call Done on `wg` (16), waits to send on `res` (line 17), which is unbuffered.", "", 17, 12)
}

// Workers that send on the channel that they receive from are told at once.
func TestCycleOfWorkersThatFillTheirOwnQueue(t *testing.T) {
	src := `package main

func work(q chan int) {
	for j := range q {
		retry(q, j)
	}
}

func retry(q chan int, j int) {
	j++
	q <- j
}
`
	start := "main spawn work a.go:30\nmain spawn work#2 a.go:30\nwork start\nwork#2 start\nmain send q=1/4294967297 a.go:31\nwork recv q=1/4294967296 a.go:4\n" +
		"main send q=1/4294967297 a.go:31\nwork#2 recv q=1/4294967296 a.go:4\n"
	p := told(t, src, start+`
main send q=1/4294967297 a.go:31
work block q a.go:11 call a.go:5
work#2 block q a.go:11 call a.go:5
blocked work send q a.go:11 call a.go:5
blocked work#2 send q a.go:11 call a.go:5
outcome leak "2 goroutines are blocked for ever"
`, start+`
work send q=1/4294967297 a.go:11 call a.go:5
work recv q=1/4294967296 a.go:4
work#2 send q=1/4294967297 a.go:11 call a.go:5
work#2 recv q=1/4294967296 a.go:4
`)
	expect(t, p, "`work` and `work#2`, which have yet to receive from `q` again (4), wait to send on `q` (line 11), whose buffer of 1 is full.", "", 11, 11)
}

// One of those who wait in one place was to let both go on, and has received before: it is
// not said to go without that, and both are named.
func TestOneOfTheWaitersHasYetToReceive(t *testing.T) {
	src := `package main

func work(q chan int) {
	for j := range q {
		retry(q, j)
	}
}

func retry(q chan int, j int) {
	if max.Load() {
		return
	}
	q <- j
}
`
	start := "var max atomic.Bool\nmain spawn work a.go:30\nmain spawn work#2 a.go:30\nmain spawn set a.go:31\nwork start\nwork#2 start\nset start\n" +
		"main send q=1/4294967297 a.go:31\nwork#2 recv q=1/4294967296 a.go:4\nmain send q=1/4294967297 a.go:31\nwork recv q=1/4294967296 a.go:4\n"
	p := told(t, src, start+`
work load max=false a.go:10 call a.go:5
main send q=1/4294967297 a.go:31
set store max=false a.go:40
work#2 load max=false a.go:10 call a.go:5
work block q a.go:13 call a.go:5
work#2 block q a.go:13 call a.go:5
blocked work send q a.go:13 call a.go:5
blocked work#2 send q a.go:13 call a.go:5
outcome leak "2 goroutines are blocked for ever"
`, start+`
set store max=true a.go:40
work#2 load max=true a.go:10 call a.go:5
main send q=1/4294967297 a.go:31
work#2 recv q=1/4294967296 a.go:4
work load max=false a.go:10 call a.go:5
work send q=1/4294967297 a.go:13 call a.go:5
work#2 recv q=1/4294967296 a.go:4
work#2 load max=false a.go:10 call a.go:5
work#2 send q=1/4294967297 a.go:13 call a.go:5
work#2 recv q=1/4294967296 a.go:4
`)
	expect(t, p, "`work#2` and `work` wait to send on `q` (line 13), whose buffer of 1 is full; "+
		"`work#2` read false from `max` (10), after `set` had set it to false (40), and has yet to receive from `q` again (4).", "", 40, 10, 13)
}
