package minigo

// Program is one program.
type Program struct {
	Plain, Atomics     int // variables, 0 at first
	Mutexes, RWMutexes int
	WaitGroups, Onces  int
	Conds              []int // the mutex of each
	Chans              []int // capacities; -1: nil
	Threads            [][]*Stmt
}

// locals of each thread, 0 at first.
const locals = 3

// Op is what a statement does.
type Op int

const (
	Nop       Op = iota
	Read         // Dst = plain variable Obj
	Write        // plain variable Obj = Val
	Load         // Dst = atomic variable Obj
	Store        // ... = Val
	Add          // ... += Val; Dst is the new value
	Swap         // ... = Val; Dst is the old value
	CAS          // if it is Old it becomes Val; Dst = 1 if so, else 0
	Lock         //
	Unlock       //
	TryLock      // Then if it was free, else Else
	WLock        // Lock of an RWMutex
	WUnlock      //
	TryWLock     //
	RLock        //
	RUnlock      //
	TryRLock     //
	WGAdd        // N
	WGDone       //
	WGWait       //
	CondWait     // the cond's mutex should be held
	Signal       //
	Broadcast    //
	OnceDo       // Then is the function
	Send         // Val
	Recv         // Dst
	Close        //
	Len          // Dst
	Select       // Cases, Else if Default
	Go           // starts thread Obj
	Yield        //
	If           // Cond: Then, else Else
	Loop         // Then, N times
	Assert       // Cond, or panic
	Return       // the end of a thread
)

// Stmt is one statement.
type Stmt struct {
	Op      Op
	ID      int // its number in the program, from 1: see Number
	Obj     int
	Dst     int // local
	Val     Expr
	Old     Expr
	Cond    Cond
	N       int
	Cases   []Case
	Default bool
	Then    []*Stmt
	Else    []*Stmt
}

// Case is one case of a select.
type Case struct {
	Send bool
	Chan int
	Val  Expr // sent
	Dst  int  // received
	Body []*Stmt
}

// Expr is a constant, or (Local > 0) local Local-1 plus a constant.
type Expr struct{ Local, K int }

// Cond compares a local with a constant.
type Cond struct {
	Local int
	Rel   string // "==", "!=" or "<"
	K     int
}

func (e Expr) eval(l *[locals]int) int {
	if e.Local > 0 {
		return l[e.Local-1] + e.K
	}
	return e.K
}

func (c Cond) holds(l *[locals]int) bool {
	switch x := l[c.Local]; c.Rel {
	case "==":
		return x == c.K
	case "!=":
		return x != c.K
	default:
		return x < c.K
	}
}

// blocks are the statement lists inside s.
func (s *Stmt) blocks() []*[]*Stmt {
	b := []*[]*Stmt{&s.Then, &s.Else}
	for i := range s.Cases {
		b = append(b, &s.Cases[i].Body)
	}
	return b
}

// Walk visits all statements of the program.
func (p *Program) Walk(f func(*Stmt)) {
	var walk func([]*Stmt)
	walk = func(list []*Stmt) {
		for _, s := range list {
			f(s)
			for _, b := range s.blocks() {
				walk(*b)
			}
		}
	}
	for _, t := range p.Threads {
		walk(t)
	}
}

// Number gives the statements their IDs and returns how many there are.
func (p *Program) Number() int {
	n := 0
	p.Walk(func(s *Stmt) { n++; s.ID = n })
	return n
}

// Clone is a deep copy.
func (p *Program) Clone() *Program {
	q := *p
	q.Conds = append([]int(nil), p.Conds...)
	q.Chans = append([]int(nil), p.Chans...)
	q.Threads = nil
	for _, t := range p.Threads {
		q.Threads = append(q.Threads, cloneList(t))
	}
	return &q
}

func cloneList(list []*Stmt) []*Stmt {
	var out []*Stmt
	for _, s := range list {
		c := *s
		c.Cases = append([]Case(nil), s.Cases...)
		for _, b := range c.blocks() {
			*b = cloneList(*b)
		}
		out = append(out, &c)
	}
	return out
}

// history folds what a statement saw into a thread's history.
func history(h uint64, id, value int) uint64 {
	return ((h^uint64(id))*1099511628211 ^ uint64(value+100)) * 1099511628211
}

// start is the history of a thread that has done nothing.
const start = 14695981039346656037

// got is what a receive saw.
func got(v int, ok bool) int { return 2*v + bit(ok) }

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
