package gen

import (
	"fmt"
	"slices"

	"github.com/hocket-dev/hocket/engine/constraint"
)

// lockProgram is what the workers of a Locks program share.
type lockProgram struct {
	*sim
	shape Shape
	locks []constraint.ObjID
	vars  [][]constraint.ObjID // guarded by the lock of the same index
	bare  []constraint.ObjID   // guarded by nothing
	pair  [2]constraint.ObjID  // under lock 0; always equal outside its regions
	wg    constraint.ObjID
	planted
}

// planted is the part that goals are about: two workers, called a and b, meet
// when 9/10 of their work is done; then a does its part, then b does its own.
// Nobody else touches the objects of these parts except to read them under
// their lock, so that b's part could as well come anywhere in a's.
type planted struct {
	account, flag        constraint.ObjID
	accountLock          constraint.ObjID
	first, second, gate  constraint.ObjID
	aHere, bHere, aDone  bool
	aUnlock1, aWrite     constraint.EventID // account: a's first region ends; a's update
	bLock, bRead, bWrite constraint.EventID // account: b's region
	bUnlock              constraint.EventID
	aFlag, bFlag         constraint.EventID // conflicting accesses without a lock
	aSecond, bFirst      constraint.EventID // second locks, in opposite orders
	aGated, bGated       constraint.EventID // the same inside the gate's lock
	aTwice               [2]constraint.EventID
	aPair                [2]constraint.EventID
	final                constraint.EventID
}

func makeLocks(s *sim, shape Shape) []Goal {
	p := &lockProgram{sim: s, shape: shape}
	location := func(name string) constraint.ObjID {
		return s.object(constraint.Object{Kind: constraint.Location, Name: name})
	}
	mutex := func(name string) constraint.ObjID {
		return s.object(constraint.Object{Kind: constraint.Mutex, Name: name})
	}
	for i := range shape.Objects {
		p.locks = append(p.locks, mutex(fmt.Sprintf("mu%d", i)))
		var vars []constraint.ObjID
		for j := range 3 {
			vars = append(vars, location(fmt.Sprintf("x%d.%d", i, j)))
		}
		p.vars = append(p.vars, vars)
		p.bare = append(p.bare, location(fmt.Sprintf("bare%d", i)))
	}
	p.pair = [2]constraint.ObjID{location("left"), location("right")}
	p.account, p.flag, p.accountLock = location("account"), location("flag"), mutex("accountMu")
	p.first, p.second, p.gate = mutex("first"), mutex("second"), mutex("gate")
	p.wg = s.object(constraint.Object{Kind: constraint.WaitGroup, Name: "wg"})

	s.thread("main", p.main())
	for i := range shape.Threads {
		s.thread(fmt.Sprintf("worker#%d", i+1), p.worker(i))
	}
	if !s.run() {
		return nil
	}
	return p.goals()
}

// main starts the workers, waits for them and reads the account.
func (p *lockProgram) main() func(*thread) bool {
	planned := false
	return func(t *thread) bool {
		if planned {
			return false
		}
		planned = true
		t.steps = []step{{op: constraint.Add, obj: p.wg, delta: int64(p.shape.Threads)}}
		for i := range p.shape.Threads {
			t.steps = append(t.steps, step{op: constraint.Spawn, child: constraint.ThreadID(i + 1)})
		}
		t.steps = append(t.steps,
			step{op: constraint.Wait, obj: p.wg},
			step{op: constraint.Read, obj: p.account, id: &p.final},
			step{op: constraint.End})
		return true
	}
}

// worker does regions until its share of the events is made.
func (p *lockProgram) worker(i int) func(*thread) bool {
	const planted = 45 // events of the planted part
	share := max(20, (p.shape.Events-planted)/p.shape.Threads)
	stage := 0
	return func(t *thread) bool {
		switch {
		case stage == 0:
			stage = 1
			t.steps = append(t.steps, step{op: constraint.Start})
		case stage == 1 && t.emitted >= share*9/10-10:
			stage = 2
			t.steps = append(t.steps, p.part(i)...)
		case t.emitted < share-2:
			t.steps = append(t.steps, p.region()...)
		case stage == 2:
			stage = 3
			t.steps = append(t.steps, step{op: constraint.Add, obj: p.wg, delta: -1}, step{op: constraint.End})
		default:
			return false
		}
		return true
	}
}

// region is a lock region with a few accesses, or one access without a lock.
func (p *lockProgram) region() []step {
	if p.rng.IntN(5) == 0 {
		bare := p.bare[p.rng.IntN(len(p.bare))]
		if p.rng.IntN(2) == 0 {
			return []step{{op: constraint.Write, obj: bare, plus: uint64(p.rng.IntN(4))}}
		}
		return []step{{op: constraint.Read, obj: bare, cond: p.condition()}}
	}
	l := p.rng.IntN(len(p.locks))
	var body []step
	if l == 0 && p.rng.IntN(4) == 0 {
		by := uint64(1 + p.rng.IntN(9))
		body = append(update(p.pair[0], by), update(p.pair[1], by)...)
	}
	for range 1 + p.rng.IntN(2) {
		v := p.vars[l][p.rng.IntN(len(p.vars[l]))]
		switch p.rng.IntN(3) {
		case 0:
			body = append(body, step{op: constraint.Read, obj: v, cond: p.condition()})
		case 1:
			body = append(body, step{op: constraint.Write, obj: v, plus: uint64(p.rng.IntN(4))})
		default:
			body = append(body, update(v, uint64(1+p.rng.IntN(9)))...)
		}
	}
	return region(p.locks[l], body...)
}

// condition that a read has: one of five is about the value.
func (p *lockProgram) condition() condition {
	if p.rng.IntN(5) == 0 {
		return parity
	}
	return free
}

func region(mu constraint.ObjID, body ...step) []step {
	steps := append([]step{{op: constraint.Lock, obj: mu}}, body...)
	return append(steps, step{op: constraint.Unlock, obj: mu})
}

func update(v constraint.ObjID, by uint64) []step {
	return []step{{op: constraint.Read, obj: v}, {op: constraint.Write, obj: v, plus: by, sum: true}}
}

// part is what worker i does when the planted part is due.
func (p *lockProgram) part(i int) []step {
	lock := func(o constraint.ObjID, id *constraint.EventID) step {
		return step{op: constraint.Lock, obj: o, id: id}
	}
	unlock := func(o constraint.ObjID) step { return step{op: constraint.Unlock, obj: o} }
	switch i {
	case 0: // a
		return []step{
			{set: &p.aHere}, {await: &p.bHere},
			{op: constraint.Write, obj: p.flag, plus: 1, id: &p.aFlag},
			// The account: read in one region, written in another.
			lock(p.accountLock, nil),
			{op: constraint.Read, obj: p.account},
			{op: constraint.Unlock, obj: p.accountLock, id: &p.aUnlock1},
			lock(p.accountLock, nil),
			{op: constraint.Write, obj: p.account, plus: 10, sum: true, id: &p.aWrite},
			unlock(p.accountLock),
			lock(p.first, nil), lock(p.second, &p.aSecond), unlock(p.second), unlock(p.first),
			lock(p.gate, nil), lock(p.first, nil), lock(p.second, &p.aGated),
			unlock(p.second), unlock(p.first), unlock(p.gate),
			lock(p.locks[0], nil),
			{op: constraint.Read, obj: p.vars[0][0], id: &p.aTwice[0]},
			{op: constraint.Read, obj: p.vars[0][0], id: &p.aTwice[1]},
			{op: constraint.Read, obj: p.pair[0], id: &p.aPair[0]},
			{op: constraint.Read, obj: p.pair[1], id: &p.aPair[1]},
			unlock(p.locks[0]),
			{set: &p.aDone},
		}
	case 1: // b
		return []step{
			{set: &p.bHere}, {await: &p.aDone},
			{op: constraint.Read, obj: p.flag, id: &p.bFlag},
			lock(p.accountLock, &p.bLock),
			{op: constraint.Read, obj: p.account, id: &p.bRead},
			{op: constraint.Write, obj: p.account, plus: 5, sum: true, id: &p.bWrite},
			{op: constraint.Unlock, obj: p.accountLock, id: &p.bUnlock},
			lock(p.second, nil), lock(p.first, &p.bFirst), unlock(p.first), unlock(p.second),
			lock(p.gate, nil), lock(p.second, nil), lock(p.first, &p.bGated),
			unlock(p.first), unlock(p.second), unlock(p.gate),
		}
	}
	return []step{{}}
}

// goals about the planted parts.
func (p *lockProgram) goals() []Goal {
	s := p.sim
	raced := []constraint.EventID{p.aFlag, p.bFlag}
	crossed := []constraint.EventID{p.aSecond, p.bFirst}
	gated := []constraint.EventID{p.aGated, p.bGated}
	updates := []constraint.EventID{p.aWrite, p.bWrite}
	ends := constraint.Goal{Include: []constraint.EventID{s.threads[1].last, s.threads[2].last}}
	goals := []Goal{
		{Goal: constraint.Goal{Name: "race", Stop: raced}, Witness: s.before(p.aFlag)},
		{Goal: constraint.Goal{Name: "locked accesses race", Stop: updates}},
		{Goal: constraint.Goal{Name: "opposite locks", Blocked: crossed}, Witness: p.crossed},
		{Goal: constraint.Goal{Name: "opposite locks in a gate", Blocked: gated}},
	}
	torn := compare(constraint.TNe, symbol(p.aTwice[1]), symbol(p.aTwice[0]))
	unequal := compare(constraint.TNe, symbol(p.aPair[1]), symbol(p.aPair[0]))
	if s.histories {
		unset := s.alternative(p.bFlag, compare(constraint.TNe, symbol(p.bFlag), bits(1)))
		goals = append(goals, Goal{Goal: constraint.Goal{Name: "stale flag", Include: []constraint.EventID{unset}},
			Witness: func() []constraint.EventID { return append(s.before(p.aFlag)(), unset) }})
		seen := s.sys.Events[p.bRead].Cond[0]
		other := s.alternative(p.bRead, &constraint.Term{Op: constraint.TNot, Args: []*constraint.Term{seen}})
		goals = append(goals,
			Goal{Goal: constraint.Goal{Name: "another value", Include: []constraint.EventID{other}},
				Witness: p.early(other)},
			Goal{Goal: constraint.Goal{Name: "torn read", Include: []constraint.EventID{s.alternative(p.aTwice[1], torn)}}},
			Goal{Goal: constraint.Goal{Name: "unequal pair", Include: []constraint.EventID{s.alternative(p.aPair[1], unequal)}}})
		return goals
	}
	stale := ends
	stale.Name = "stale flag"
	stale.Include = append(slices.Clone(ends.Include), p.final)
	stale.Cond = []*constraint.Term{compare(constraint.TEq, symbol(p.bFlag), bits(0))}
	goals = append(goals, Goal{Goal: stale, Witness: p.stale})
	lost := ends
	lost.Name = "lost update"
	lost.Include = append(lost.Include, p.final)
	lost.Cond = []*constraint.Term{compare(constraint.TNe, symbol(p.final), bits(15))}
	return append(goals,
		Goal{Goal: lost, Witness: p.lost},
		Goal{Goal: constraint.Goal{Name: "torn read", Include: p.aTwice[:], Cond: []*constraint.Term{torn}}},
		Goal{Goal: constraint.Goal{Name: "unequal pair", Include: p.aPair[:], Cond: []*constraint.Term{unequal}}})
}

// before is the recorded order up to an event.
func (s *sim) before(e constraint.EventID) func() []constraint.EventID {
	return func() []constraint.EventID { return Recorded(s.sys)[:s.sys.Events[e].At] }
}

// between gives b's part of the recorded order from first to last.
func (p *lockProgram) between(first, last constraint.EventID) []constraint.EventID {
	var part []constraint.EventID
	for e := last; ; e = p.sys.Events[e].Prev {
		part = append([]constraint.EventID{e}, part...)
		if e == first {
			return part
		}
	}
}

// crossed: b's first of the two locks comes before a's second.
func (p *lockProgram) crossed() []constraint.EventID {
	return append(p.before(p.aSecond)(), p.between(p.bFlag, p.sys.Events[p.bFirst].Prev)...)
}

// lost: b's update comes between a's read and a's write.
func (p *lockProgram) lost() []constraint.EventID {
	all := Recorded(p.sys)
	part := p.between(p.bFlag, p.bUnlock)
	moved := make(map[constraint.EventID]bool, len(part))
	for _, e := range part {
		moved[e] = true
	}
	var order []constraint.EventID
	for _, e := range all {
		if !moved[e] {
			order = append(order, e)
		}
		if e == p.aUnlock1 {
			order = append(order, part...)
		}
	}
	return order
}

// stale: b reads the flag before a sets it. No other order changes.
func (p *lockProgram) stale() []constraint.EventID {
	all := Recorded(p.sys)
	i, j := slices.Index(all, p.aFlag), slices.Index(all, p.bFlag)
	return slices.Concat(all[:i], []constraint.EventID{p.bFlag}, all[i:j], all[j+1:])
}

// early: b reads the account where a stands between its regions.
func (p *lockProgram) early(other constraint.EventID) func() []constraint.EventID {
	return func() []constraint.EventID {
		order := p.before(p.aFlag)()
		order = append(order, p.between(p.aFlag, p.aUnlock1)...)
		return append(append(order, p.bFlag, p.bLock), other)
	}
}
