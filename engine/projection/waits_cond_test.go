package projection

import "testing"

// A signal that another waiter got, which waits again.
func TestSignalThatAnotherTook(t *testing.T) {
	start := `
main spawn take a.go:1
main spawn stop a.go:1
take start
stop start
`
	p, _ := plain(t, start+`
stop lock mu a.go:26
stop condwait c a.go:28
stop unlock mu a.go:28
take lock mu a.go:16
take condwait c a.go:18
take unlock mu a.go:18
main signal c a.go:36
stop condwake c a.go:28
stop lock mu a.go:28
stop condwait c a.go:28
stop unlock mu a.go:28
main block took a.go:50
blocked main recv took a.go:50
blocked take condwait c a.go:18
blocked stop condwait c a.go:28
outcome deadlock "all goroutines are asleep"
`, start+`
take lock mu a.go:16
take condwait c a.go:18
take unlock mu a.go:18
main signal c a.go:36
take condwake c a.go:18
take lock mu a.go:18
take unlock mu a.go:20
take close took a.go:48
main recv took=2 a.go:50
`)
	if p.Class != Missed {
		t.Errorf("class %s", p.Class)
	}
	expect(t, p, "`take` waits for `c` (line 18); `main` signalled `c` (36) and woke `stop` (28), which waits again.",
		"Those who wait for `c` wait for different things: line 36 must be a Broadcast.", 28, 18, 36)
}

// A signal before its wait, with the check before both.
func TestSignalBeforeWaitNamesTheCheck(t *testing.T) {
	p, _ := plain(t, `
var open bool
main spawn wait a.go:1
wait start
wait lock mu a.go:15
wait read open=false a.go:16
wait unlock mu a.go:17
main lock mu a.go:28
main write open=true a.go:29
main unlock mu a.go:30
main signal c a.go:31
wait lock mu a.go:21
wait condwait c a.go:22
wait unlock mu a.go:22
main block done a.go:40
blocked main recv done a.go:40
blocked wait condwait c a.go:22
outcome deadlock "all goroutines are asleep"
`, "")
	expect(t, p, "`wait` read false from `open` (line 16); `main` then set it to true (29) and signalled `c` (31), when nobody waited; `wait` waits for `c` (line 22).",
		"The check (16) and the wait must be in one region of `mu`.", 16, 29, 31, 22)
}

// A Done that never came.
func TestDoneThatNeverCame(t *testing.T) {
	src := `package main

func work(j *job) {
	if j.stopped.Load() {
		return
	}
	j.wg.Done()
}
`
	start := "var j.stopped atomic.Bool\nmain wgadd j.wg=1 a.go:20\nmain spawn work a.go:1\nmain spawn stop a.go:1\nwork start\nstop start\n"
	p := told(t, src, start+`
stop store j.stopped=true a.go:15
work load j.stopped=true a.go:4
work end
main block j.wg a.go:26
blocked main wgwait j.wg a.go:26
outcome deadlock "all goroutines are asleep"
`, start+`
work load j.stopped=false a.go:4
work wgdone j.wg=-1 a.go:7
work end
stop store j.stopped=true a.go:15
main wgwait j.wg a.go:26
`)
	expect(t, p, "`main` waits for `j.wg` (line 26); `work` read true from `j.stopped` (4), after `stop` had set it to true (15), and returned (5) without calling Done on `j.wg` (7).",
		"`work` must call Done on `j.wg` when it returns at line 5, too.", 15, 4, 5, 26)
}

// What a chain of waits ends at is told, and who waits for the lock behind it.
func TestChainOfWaits(t *testing.T) {
	start := "main spawn reload a.go:1\nmain spawn feed a.go:1\nreload start\nfeed start\n"
	p, _ := plain(t, start+`
feed select quit=1/2 a.go:23
feed end
reload lock mu a.go:16
reload block ch a.go:18
main block mu a.go:38
blocked reload recv ch a.go:18
blocked main lock mu a.go:38 holder reload
outcome deadlock "all goroutines are asleep"
`, start+`
reload lock mu a.go:16
feed select ch=0/4294967298 a.go:23
feed end
reload recv ch=1/0 a.go:18
reload unlock mu a.go:19
main lock mu a.go:38
`)
	expect(t, p, "`reload` holds `mu` (line 16) and waits to receive from `ch` (18); `feed` took `quit` (23) and ended without sending on `ch` (23); `main` waits to lock `mu` (38).",
		"", 23, 16, 18, 38)
}

// What a loop reads each time, and why that stays.
func TestLoopThatNobodyEnds(t *testing.T) {
	src := `package main

func setup() {
	if failed.Load() {
		return
	}
	ready.Store(true)
}

func main() {
	for !ready.Load() {
		runtime.Gosched()
	}
}
`
	start := "var failed atomic.Bool\nvar ready atomic.Bool\nmain spawn setup a.go:1\nmain spawn fail a.go:1\nsetup start\nfail start\n"
	p := told(t, src, start+`
fail store failed=true a.go:30
setup load failed=true a.go:4
setup end
main load ready=false a.go:11
main gosched - a.go:12
main load ready=false a.go:11
main gosched - a.go:12
blocked main gosched - a.go:12
outcome livelock main "a goroutine loops for ever" a.go:12
`, start+`
setup load failed=false a.go:4
setup store ready=true a.go:7
fail store failed=true a.go:30
main load ready=true a.go:11
`)
	expect(t, p, "`main` goes round for ever (lines 11-13): each time it reads false from `ready` (11); `setup` read true from `failed` (4), after `fail` had set it to true (30), and returned (5) without setting `ready` (7).",
		"", 30, 4, 5, 11, 12)
}

// Of several changes between the check and the signal, the signaller's own is told.
func TestSignalAfterSeveralChanges(t *testing.T) {
	p, _ := plain(t, `
main spawn worker a.go:1
main spawn worker#2 a.go:1
worker start
worker#2 start
main lock mu a.go:40
main load left=2 a.go:41
worker rmw left=1 a.go:27
worker#2 rmw left=0 a.go:27
worker#2 broadcast done a.go:28
main condwait done a.go:42
main unlock mu a.go:42
main block done a.go:42
blocked main condwait done a.go:42
outcome deadlock "all goroutines are asleep"
`, "")
	const want = "`main` read 2 from `left` (line 41); `worker#2` then set it to 0 (27) and signalled `done` (28), when nobody waited; `main` waits for `done` (line 42)."
	if p.Sentence != want {
		t.Errorf("sentence\n%s\nwant\n%s", p.Sentence, want)
	}
}

// A signal that came before the wait is no reason for it if what it told was there to be
// seen: the one that another waiter got is.
func TestSignalThatWasSeenBeforeTheWait(t *testing.T) {
	start := `
main spawn a a.go:1
main spawn b a.go:1
a start
b start
`
	p, _ := plain(t, start+`
main lock mu a.go:30
main write items=1 a.go:31
main unlock mu a.go:32
main signal c a.go:33
a lock mu a.go:10
a condwait c a.go:12
a unlock mu a.go:12
b lock mu a.go:10
b read items=1 a.go:11
b condwait c a.go:12
b unlock mu a.go:12
main signal c a.go:40
a condwake c a.go:12
a lock mu a.go:12
a unlock mu a.go:14
main block done a.go:50
blocked main wgwait done a.go:50
blocked b condwait c a.go:12
outcome deadlock "all goroutines are asleep"
`, start+`
b lock mu a.go:10
b condwait c a.go:12
b unlock mu a.go:12
main lock mu a.go:30
main write items=1 a.go:31
main unlock mu a.go:32
main signal c a.go:33
b condwake c a.go:12
b lock mu a.go:12
b unlock mu a.go:14
a lock mu a.go:10
main signal c a.go:40
a unlock mu a.go:14
main wgwait done a.go:50
`)
	expect(t, p, "`b` waits for `c` (line 12); `main` signalled `c` (40) and woke `a` (12).",
		"Line 40 must be a Broadcast, or whoever it wakes must signal the next.", 12, 12, 40)
}
