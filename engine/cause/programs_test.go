package cause_test

import (
	"math/rand/v2"
	"time"

	"github.com/hocket-dev/hocket/engine/run/sim"
)

// Random programs of the shapes that bugs have, each with steps in between that do not
// matter. A program is small enough to make all of its runs.

// program is one of them. Its steps have a line each; equal workers share theirs.
type program struct {
	shape string
	main  func(*sim.Thread)
	clock int64 // ns that a step takes; timers fire by it
	hot   []string
}

const (
	cells = 4 // atomic variables, plain ones and channels of a program, of each
	noise = cells - 1
)

// objects of one run.
type objects struct {
	v, plain [cells]*sim.Int
	mu       [cells]*sim.Mutex
	ch       [cells]*sim.Chan
	rw       *sim.RWMutex
	wg       *sim.WaitGroup
	cond     *sim.Cond
}

// player is a thread of a run.
type player struct {
	*sim.Thread
	o *objects
	l [cells]int // locals
}

type step func(p *player)

// maker makes a program.
type maker struct {
	*rand.Rand
	line  int
	plain bool // variables are plain ones, whose accesses race
	caps  [cells]int
	fn    string
}

// place gives a step its line.
func (m *maker) place(s step) step {
	m.line++
	line, fn := m.line, m.fn
	return func(p *player) {
		p.At(fn, "program.go", line)
		s(p)
	}
}

func (m *maker) load(v, dst int) step {
	if m.plain {
		return m.place(func(p *player) { p.l[dst] = p.Read(p.o.plain[v]) })
	}
	return m.place(func(p *player) { p.l[dst] = p.Load(p.o.v[v]) })
}

// store sets a variable to a local plus a constant; local < 0: the constant.
func (m *maker) store(v, local, k int) step {
	x := func(p *player) int {
		if local < 0 {
			return k
		}
		return p.l[local] + k
	}
	if m.plain {
		return m.place(func(p *player) { p.Write(p.o.plain[v], x(p)) })
	}
	return m.place(func(p *player) { p.Store(p.o.v[v], x(p)) })
}

func (m *maker) add(v, k, dst int) step {
	return m.place(func(p *player) { p.l[dst] = p.Add(p.o.v[v], k) })
}
func (m *maker) lock(i int) step   { return m.place(func(p *player) { p.Lock(p.o.mu[i]) }) }
func (m *maker) unlock(i int) step { return m.place(func(p *player) { p.Unlock(p.o.mu[i]) }) }
func (m *maker) rlock() step       { return m.place(func(p *player) { p.RLock(p.o.rw) }) }
func (m *maker) runlock() step     { return m.place(func(p *player) { p.RUnlock(p.o.rw) }) }
func (m *maker) wlock() step       { return m.place(func(p *player) { p.WLock(p.o.rw) }) }
func (m *maker) wunlock() step     { return m.place(func(p *player) { p.WUnlock(p.o.rw) }) }
func (m *maker) wait() step        { return m.place(func(p *player) { p.Join(p.o.wg) }) }
func (m *maker) done() step        { return m.place(func(p *player) { p.Done(p.o.wg) }) }
func (m *maker) group(n int) step  { return m.place(func(p *player) { p.WGAdd(p.o.wg, n) }) }
func (m *maker) signal() step      { return m.place(func(p *player) { p.Signal(p.o.cond) }) }
func (m *maker) await() step       { return m.place(func(p *player) { p.Wait(p.o.cond, p.o.mu[0]) }) }
func (m *maker) close(c int) step  { return m.place(func(p *player) { p.Close(p.o.ch[c]) }) }
func (m *maker) send(c, x int) step {
	return m.place(func(p *player) { p.Send(p.o.ch[c], x) })
}

// recv gets -1 from a closed channel.
func (m *maker) recv(c, dst int) step {
	return m.place(func(p *player) {
		x, ok := p.Recv(p.o.ch[c])
		if p.l[dst] = x; !ok {
			p.l[dst] = -1
		}
	})
}

func (m *maker) sleep(us int) step {
	return m.place(func(p *player) { p.Sleep(time.Duration(us) * time.Microsecond) })
}

// choose is a select that receives from channels; dst is which case it took, -1 for
// the default.
func (m *maker) choose(dst int, orElse bool, cs ...int) step {
	return m.place(func(p *player) {
		var cases []sim.Case
		for _, c := range cs {
			cases = append(cases, sim.RecvCase(p.o.ch[c]))
		}
		p.l[dst], _, _ = p.Select(orElse, cases...)
	})
}

func (m *maker) fail(what string) step { return m.place(func(p *player) { p.Panic("%s", what) }) }

func (m *maker) start(body step) step {
	return m.place(func(p *player) {
		o := p.o
		p.Go(func(t *sim.Thread) { body(&player{Thread: t, o: o}) })
	})
}

// workers starts n goroutines that are alike.
func (m *maker) workers(n int, body step) step {
	one := m.start(body)
	return func(p *player) {
		for range n {
			one(p)
		}
	}
}

func when(cond func(p *player) bool, then, orElse step) step {
	return func(p *player) {
		if cond(p) {
			then(p)
		} else if orElse != nil {
			orElse(p)
		}
	}
}

func is(local, x int) func(*player) bool  { return func(p *player) bool { return p.l[local] == x } }
func not(local, x int) func(*player) bool { return func(p *player) bool { return p.l[local] != x } }

// rounds goes on until a condition holds, n times at most.
func rounds(n int, body step, until func(*player) bool) step {
	return func(p *player) {
		for range n {
			if body(p); until(p) {
				return
			}
		}
	}
}

func seq(steps ...step) step {
	return func(p *player) {
		for _, s := range steps {
			if s != nil {
				s(p)
			}
		}
	}
}

// some is now and then a step that does not matter.
func (m *maker) some() step {
	switch m.IntN(6) {
	case 0:
		return m.place(func(p *player) { p.Add(p.o.v[noise], 1) })
	case 1:
		return m.place(func(p *player) { p.Load(p.o.v[noise]) })
	case 2:
		return seq(m.lock(noise), m.unlock(noise))
	}
	return nil
}

// of is a function of the program: its steps are of that name.
func (m *maker) of(name string, body func() step) step {
	old := m.fn
	m.fn = "main." + name
	defer func() { m.fn = old }()
	return body()
}

var shapes = []struct {
	name string
	make func(m *maker) step
}{
	{"lost update", lostUpdate}, {"check then act", checkThenAct}, {"guarded use", guardedUse}, {"guarded send", guardedSend},
	{"use before init", useBeforeInit}, {"told too early", toldTooEarly}, {"polling loop", pollingLoop}, {"draining loop", drainingLoop},
	{"two bugs", twoBugs}, {"select", selects}, {"select at the end", selectsLeave}, {"timer", timerFirst}, {"lock order", lockOrder},
	{"read lock again", readAgain}, {"lost signal", lostSignal}, {"late add", lateAdd}, {"two halves", halves}, {"who is first", whoIsFirst},
}

// of a shape, by its number.
func makeProgram(n int, rng *rand.Rand) program {
	m := &maker{Rand: rng, fn: "main.main", plain: rng.IntN(3) == 0}
	for i := range m.caps {
		m.caps[i] = rng.IntN(2)
	}
	m.caps[2] = 2
	body := shapes[n].make(m)
	p := program{shape: shapes[n].name}
	if p.shape == "timer" {
		p.clock = 1000
	}
	for line := range m.line {
		if m.plain {
			p.hot = append(p.hot, sim.Site(line+1))
		}
	}
	caps := m.caps
	p.main = func(t *sim.Thread) {
		o := &objects{}
		made := 1000
		at := func() {
			made++
			t.At("main.main", "program.go", made)
		}
		for i := range cells {
			at()
			o.v[i], o.plain[i] = t.Int(), t.Int()
			at()
			o.mu[i] = t.Mutex()
			at()
			o.ch[i] = t.Chan(caps[i])
		}
		at()
		o.rw = t.RWMutex()
		at()
		o.wg = t.WaitGroup(0)
		at()
		o.cond = t.Cond()
		body(&player{Thread: t, o: o})
	}
	return p
}

func lostUpdate(m *maker) step {
	n := 2
	add := m.of("add", func() step { return seq(m.some(), m.load(0, 0), m.some(), m.store(0, 0, 1), m.done()) })
	bad := m.fail("lost")
	return seq(m.group(n), m.workers(n, add), m.wait(), m.load(0, 0), when(not(0, n), bad, nil))
}

// checkThenAct oversells.
func checkThenAct(m *maker) step {
	m.plain = false
	take := m.of("take", func() step {
		return seq(m.load(0, 0), m.some(), when(is(0, 0), m.add(0, 1, 1), nil), m.done())
	})
	bad := m.fail("taken twice")
	return seq(m.group(2), m.workers(2, take), m.wait(), m.load(0, 0), when(is(0, 2), bad, nil))
}

// guardedUse is a check, and a use that another one takes away in between; what it
// takes away depends on a further flag at times.
func guardedUse(m *maker) step {
	deep := m.IntN(2) == 0
	bad := m.of("use", func() step { return m.fail("gone") })
	use := m.of("use", func() step {
		return seq(m.some(), m.load(0, 0), when(is(0, 0), seq(m.some(), m.load(1, 1), when(is(1, 1), bad, nil)), nil))
	})
	stop := m.of("stop", func() step {
		s := seq(m.store(0, -1, 1), m.store(1, -1, 1))
		if deep {
			return seq(m.load(2, 0), when(is(0, 1), s, nil))
		}
		return s
	})
	if deep {
		return seq(m.start(use), m.start(stop), m.store(2, -1, 1))
	}
	return seq(m.start(use), m.start(stop), m.some())
}

func guardedSend(m *maker) step {
	m.caps[2] = 2
	publish := m.of("publish", func() step {
		return seq(m.some(), m.load(0, 0), when(is(0, 0), seq(m.some(), m.send(2, 1)), nil))
	})
	stop := m.of("stop", func() step { return seq(m.store(0, -1, 1), m.some(), m.close(2)) })
	return seq(m.start(publish), m.some(), stop)
}

func useBeforeInit(m *maker) step {
	bad := m.fail("not ready")
	user := m.of("user", func() step { return seq(m.some(), m.load(0, 0), when(is(0, 0), bad, nil)) })
	if m.IntN(2) == 0 {
		return seq(m.start(user), m.some(), m.store(0, -1, 1))
	}
	return seq(m.start(user), m.start(m.of("setup", func() step { return seq(m.some(), m.store(0, -1, 1)) })))
}

// toldTooEarly publishes a flag before what it stands for.
func toldTooEarly(m *maker) step {
	bad := m.fail("not there")
	user := m.of("user", func() step {
		return seq(m.load(0, 0), when(is(0, 1), seq(m.some(), m.load(1, 1), when(is(1, 0), bad, nil)), nil))
	})
	return seq(m.start(user), m.some(), m.store(0, -1, 1), m.some(), m.store(1, -1, 1))
}

func pollingLoop(m *maker) step {
	bad := m.fail("not there")
	n := 2 + m.IntN(2)
	user := m.of("user", func() step {
		return seq(rounds(n, m.load(0, 0), is(0, 1)), when(is(0, 1), seq(m.load(1, 1), when(is(1, 0), bad, nil)), nil))
	})
	return seq(m.start(user), m.some(), m.store(0, -1, 1), m.store(1, -1, 1))
}

// drainingLoop takes what there is, as long as there is something, and misses what
// comes later.
func drainingLoop(m *maker) step {
	m.plain = false
	m.caps[2] = 2
	n := 1 + m.IntN(2)
	drain := m.of("drain", func() step {
		return seq(rounds(3, seq(m.choose(0, true, 2), when(is(0, 0), m.add(1, 1, 1), nil)), is(0, -1)), m.store(0, -1, 1))
	})
	bad := m.fail("left behind")
	var sends []step
	for range n {
		sends = append(sends, m.send(2, 1))
	}
	return seq(m.start(drain), seq(sends...), m.some(), rounds(3, m.load(0, 0), is(0, 1)), when(is(0, 1), seq(m.load(1, 1), when(func(p *player) bool { return p.l[1] < n }, bad, nil)), nil))
}

// twoBugs has another failure beside the one that is explained.
func twoBugs(m *maker) step {
	m.plain = false
	one, two := m.fail("first"), m.fail("second")
	a := m.of("a", func() step { return seq(m.load(0, 0), when(is(0, 0), one, nil)) })
	b := m.of("b", func() step {
		return seq(m.load(1, 0), m.some(), m.load(1, 1), when(func(p *player) bool { return p.l[0] != p.l[1] }, two, nil))
	})
	return seq(m.start(a), m.start(b), m.store(0, -1, 1), m.some(), m.store(1, -1, 1))
}

// selects loses a message if the end comes first.
func selects(m *maker) step {
	m.caps[0], m.caps[1] = 1, 1
	bad := m.fail("lost")
	work := m.of("work", func() step { return seq(m.some(), m.send(0, 1)) })
	stop := m.of("stop", func() step { return seq(m.some(), m.close(1)) })
	return seq(m.start(work), m.start(stop), m.choose(0, false, 0, 1), when(is(0, 1), bad, nil))
}

// selectsLeave leaves a sender behind.
func selectsLeave(m *maker) step {
	m.caps[0], m.caps[1] = 0, 1
	work := m.of("work", func() step { return seq(m.some(), m.send(0, 1)) })
	stop := m.of("stop", func() step { return seq(m.some(), m.close(1)) })
	return seq(m.start(work), m.start(stop), m.choose(0, false, 0, 1), m.some())
}

func timerFirst(m *maker) step {
	m.plain = false
	m.caps[0] = 1
	bad := m.fail("late")
	timer := m.of("timer", func() step { return seq(m.sleep(2+m.IntN(3)), m.store(0, -1, 1)) })
	work := m.of("work", func() step { return seq(m.some(), m.some(), m.load(0, 0), when(is(0, 1), bad, nil)) })
	return seq(m.start(timer), m.start(work), m.some())
}

func lockOrder(m *maker) step {
	both := func(name string, a, b int) step {
		return m.of(name, func() step { return seq(m.lock(a), m.some(), m.lock(b), m.unlock(b), m.unlock(a)) })
	}
	one := both("one", 0, 1)
	if m.IntN(2) == 0 { // only if it sees a flag
		flagged := both("two", 1, 0)
		two := m.of("two", func() step { return seq(m.load(0, 0), when(is(0, 1), flagged, nil)) })
		return seq(m.start(one), m.start(two), m.store(0, -1, 1))
	}
	return seq(m.start(one), m.start(both("two", 1, 0)))
}

func readAgain(m *maker) step {
	reader := m.of("reader", func() step { return seq(m.rlock(), m.some(), m.rlock(), m.runlock(), m.runlock()) })
	writer := m.of("writer", func() step { return seq(m.some(), m.wlock(), m.wunlock()) })
	return seq(m.start(reader), m.start(writer))
}

func lostSignal(m *maker) step {
	m.plain = false
	waiter := m.of("waiter", func() step {
		return seq(m.load(0, 0), when(is(0, 0), seq(m.lock(0), m.await(), m.unlock(0)), nil))
	})
	setter := m.of("setter", func() step { return seq(m.some(), m.store(0, -1, 1), m.lock(0), m.signal(), m.unlock(0)) })
	return seq(m.start(waiter), m.start(setter))
}

// lateAdd counts a child only when it runs.
func lateAdd(m *maker) step {
	m.plain = false
	bad := m.fail("not waited for")
	child := m.of("child", func() step { return seq(m.some(), m.group(1), m.store(0, -1, 1), m.done()) })
	return seq(m.start(child), m.some(), m.wait(), m.load(0, 0), when(is(0, 0), bad, nil))
}

// halves are two variables that belong together.
func halves(m *maker) step {
	bad := m.fail("torn")
	reader := m.of("reader", func() step {
		return seq(m.load(0, 0), m.some(), m.load(1, 1), when(func(p *player) bool { return p.l[0] != p.l[1] }, bad, nil))
	})
	return seq(m.start(reader), m.some(), m.store(0, -1, 1), m.some(), m.store(1, -1, 1))
}

// whoIsFirst expects messages in an order that nothing enforces.
func whoIsFirst(m *maker) step {
	m.caps[0] = m.IntN(3)
	bad := m.fail("order")
	send := func(name string, x int) step {
		return m.of(name, func() step { return seq(m.some(), m.send(0, x)) })
	}
	return seq(m.start(send("one", 1)), m.start(send("two", 2)), m.recv(0, 0), m.recv(0, 1), when(is(0, 2), bad, nil))
}
