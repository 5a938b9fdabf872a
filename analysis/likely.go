package analysis

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// doubt says why a candidate is likely no bug, so that it is shown only if
// all are asked for; "" if it likely is one. Everything here is a whole kind of
// evidence that turned out to be weak in published modules.
func (f *finder) doubt(c *candidate) string {
	if c.kind == Contention {
		return "nothing is wrong by itself"
	}
	if f.fixture(c) {
		return "only the tests' own code"
	}
	if f.p.warns(c.x) || f.p.warns(c.y) {
		return "the documentation says that callers must not do this at once"
	}
	if f.dispatched(c.x) || f.dispatched(c.y) {
		return "perhaps the methods of another type are called"
	}
	switch c.kind {
	case Race:
		return f.doubtRace(c)
	case Order:
		return f.doubtOrder(c)
	case Atomicity:
		return f.doubtAtomicity(c)
	case Deadlock:
		if c.x.op != opLock && c.x.op != opRLock && f.startsAnswer(c.x, c.y) {
			return "waits only for who has had the lock"
		}
	case Notify:
		if c.y.op == opWait && f.testedAfter(c.y) || c.x.op == opWait && f.testedAfter(c.x) {
			return "what was waited for is looked at afterwards"
		}
	case Channel:
		if c.y.op == opReceive { // a select that may take the end
			if c.x.sel != nil || len(f.flags(c.x)) > 0 {
				return "the sender has something else to do, or knows of the end"
			}
			return ""
		}
		if f.perhapsTwo(c.x, c.y) || hasElem(c.x.path) {
			return "perhaps two channels"
		}
		if f.owned(c.x, c.y) {
			return "a flag says who may use it"
		}
	}
	return ""
}

func (f *finder) doubtRace(c *candidate) string {
	x, y := c.x, c.y
	if f.perhapsTwo(x, y) || x.path.base.kind == outside && x.path.base.index > 0 {
		return "perhaps two objects"
	}
	if f.owned(x, y) {
		return "a flag says who may use it"
	}
	if f.detached(x, y) || f.detached(y, x) {
		return "taken out under the lock before"
	}
	if f.lazily(x, y) {
		return "set once, and looked at under the lock before"
	}
	if f.follow(x, y) || f.follow(y, x) {
		return "a channel seems to keep them in order"
	}
	hx, hy := locksOf(x), locksOf(y)
	switch {
	case len(hx) > 0 && len(hy) > 0:
		if f.perhapsOneLock(x, y, hx, hy) {
			return "perhaps one lock"
		}
	case f.en.callers && !f.writtenLocked(x) && !f.startsItself(x, y) && !(x.chain.last() == y.chain.last() && f.locksSomewhere(x)),
		f.en.callers && len(hx) == 0 && f.setsUp(x):
		return "nothing says that callers may do this at once"
	case f.en.callers && f.closes(x):
		return "done when nobody uses it any more"
	case f.en.callers && x.path.base.kind == global && len(hx) == 0 && !x.op.atomic():
		return "set up before it is used"
	case f.en.callers && (fluent(x.chain.instr.Parent()) || fluent(y.chain.instr.Parent())):
		return "set up before it is shared"
	case f.flagged(x, y):
		return "an atomic seems to keep them in order"
	}
	if n := len(x.path.steps); n > 0 && x.path.steps[n-1].kind == toElem && isSlice(x) {
		return "the elements are usually different ones"
	}
	return ""
}

func (f *finder) doubtOrder(c *candidate) string {
	x, y := c.x, c.y
	if f.perhapsTwo(x, y) || strings.HasSuffix(x.path.bucket(), "[]") {
		return "perhaps two objects"
	}
	if f.owned(x, y) {
		return "a flag says who may use it"
	}
	if x.value != nilValue || c.ready != nil {
		if c.ready != nil && !beside(c.ready.path, x.path) {
			return "perhaps they have nothing to do with each other"
		}
		return ""
	}
	if !f.p.usedAsPointer(y) {
		return "only looked at"
	}
	if f.en.callers && (f.common(x, y) == nil && (f.closes(x) || len(locksOf(x))+len(locksOf(y)) == 0) || f.guardedByFlag(y)) {
		return "done when nobody uses it any more"
	}
	return ""
}

// beside reports whether two paths are fields of one object, or variables of a package.
func beside(p, q *path) bool {
	n := len(p.steps)
	if p.base.kind == global && q.base.kind == global && n == 0 && len(q.steps) == 0 {
		return true
	}
	i := 0
	for i < n && i < len(q.steps) && p.steps[i] == q.steps[i] {
		i++
	}
	return p.base == q.base && i >= n-1 && !slices.ContainsFunc(q.steps[i:], func(s step) bool { return s.kind == toDeref })
}

// usedAsPointer reports whether what a reading returns is used in a way in
// which nil fails: neither compared, kept nor returned only.
func (p *summarizer) usedAsPointer(y *event) bool {
	v, ok := y.chain.last().instr.(ssa.Value)
	if !ok || v.Referrers() == nil {
		return true
	}
	for _, r := range *v.Referrers() {
		switch r.(type) {
		case *ssa.BinOp, *ssa.Return, *ssa.Store, *ssa.MakeInterface, *ssa.DebugRef, *ssa.ChangeInterface:
		default:
			return true
		}
	}
	return false
}

// detached reports whether y, without a lock, is about an object that its
// goroutine took out of its place before, in a region of a lock that x holds.
func (f *finder) detached(x, y *event) bool {
	n := len(y.path.steps)
	if len(x.locks) == 0 || len(locksOf(y)) > 0 || n == 0 {
		return false
	}
	owner, _, _ := strings.Cut(y.path.steps[n-1].name, ".")
	for _, ws := range f.stores {
		for _, w := range ws {
			if w.value != nilValue || len(w.locks) == 0 || typeName(w.path.typ) != owner {
				continue
			}
			if rw, ry, ok := f.follows(w, y); ok && f.common(x, w) != nil && !f.p.linkFollows(ry, rw) {
				return true
			}
		}
	}
	return false
}

// lazily reports whether x sets a reference that is not set yet, and y comes
// after a look at it under the lock, which sets it if need be.
func (f *finder) lazily(x, y *event) bool {
	es := f.buckets[x.path.bucket()]
	guarded := slices.ContainsFunc(es, func(r *event) bool {
		rr, rx, ok := f.follows(r, x)
		return ok && !r.op.writes() && r.path.key == x.path.key && region(r, x) && f.p.depends(rr, rx) == byBranch && f.p.comparesNil(r.chain.last().instr)
	})
	return guarded && slices.ContainsFunc(es, func(q *event) bool {
		rq, ry, ok := f.follows(q, y)
		return ok && !q.op.writes() && q.path.key == x.path.key && f.common(q, x) != nil && f.p.Before(rq.instr, ry.instr)
	})
}

// follow reports whether x is followed by a close or a Done, and y comes after
// a loop that receives from the channel, until it is closed or not.
func (f *finder) follow(x, y *event) bool {
	for _, r := range f.en.releases {
		if _, rx, rr := part(x.chain, r.chain); r.op == opSend || rx == nil || rr == nil || !f.en.lastBefore(x, r) {
			continue
		}
		for _, q := range f.en.meets[r] {
			if rq, ry, ok := f.follows(q, y); ok && f.p.InLoop(rq.instr) && !f.p.linkFollows(ry, rq) {
				return true
			}
		}
	}
	return false
}

// writtenLocked reports whether some write of the location holds a lock, or is atomic.
func (f *finder) writtenLocked(x *event) bool {
	return slices.ContainsFunc(f.buckets[x.path.bucket()], func(w *event) bool {
		return w.op.writes() && (len(locksOf(w)) > 0 || w.op.atomic())
	})
}

func (f *finder) doubtAtomicity(c *candidate) string {
	x, y, then := c.x, c.y, c.then
	if f.perhapsTwo(x, y) || f.perhapsTwo(x, then) {
		return "perhaps two objects"
	}
	if strings.HasSuffix(x.path.bucket(), "[]") && x.op.writes() && then.op.writes() {
		return "the elements are usually different ones"
	}
	ra, rb, ok := f.follows(x, then)
	if !ok || !f.p.Before(ra.instr, rb.instr) {
		return "only in another round of a loop"
	}
	if !x.op.writes() && f.actedUpon(x) {
		return "what was seen was acted upon there and then"
	}
	if x.op.atomic() && (f.en.callers || !then.op.writes() && !x.op.writes()) {
		return "several atomics of a library"
	}
	if !x.op.writes() && !then.op.writes() && (f.en.callers || f.p.depends(ra, rb) == byBranch) {
		return "looked at again"
	}
	if f.owned(x, y) {
		return "a flag says who may use it"
	}
	return ""
}

// perhapsTwo reports whether it is not known that two operations concern one object.
func (f *finder) perhapsTwo(x, y *event) bool {
	if mayAlias(x.path, y.path) < same {
		return mayAlias(f.resolved(x.path), f.resolved(y.path)) < same
	}
	common, _, _ := part(x.chain, y.chain)
	return loose(x.path) && spawnsAt(x.chain) < common && spawnsAt(x.chain) >= 0
}

// testedAfter reports whether what decides about a wait decides about something after it as well.
func (f *finder) testedAfter(w *event) bool {
	guards := f.guards(w)
	return slices.ContainsFunc(guards, func(g *event) bool {
		return slices.ContainsFunc(f.buckets[g.path.bucket()], func(r *event) bool {
			rw, rr, ok := f.follows(w, r)
			return ok && !r.op.writes() && r.path.key == g.path.key && f.p.Before(rw.instr, rr.instr) && f.p.decides(rr)
		})
	})
}

// actedUpon reports whether what was read decides about a write in the same lock region.
func (f *finder) actedUpon(r *event) bool {
	for _, name := range f.names {
		for _, w := range f.buckets[name] {
			if w.op != opWrite || !region(r, w) {
				continue
			}
			if rr, rw, ok := f.follows(r, w); ok && f.p.depends(rr, rw) == byBranch {
				return true
			}
		}
	}
	return false
}

// loose reports whether a path goes through an element of which it is not known
// which one it is: through it two goroutines may well get at two objects.
func loose(q *path) bool {
	for i, s := range q.steps {
		if s.kind == toElem && s.index == "" && (i < len(q.steps)-1) {
			return true
		}
	}
	return false
}

// fixture reports whether all places, or what is written in a race, are in the
// tests of a package that has other code as well.
func (f *finder) fixture(c *candidate) bool {
	for _, e := range []*event{c.x, c.y, c.then} {
		if e == nil || c.kind == Race && !e.op.writes() {
			continue
		}
		file := f.p.Fset.Position(f.p.pos(e.chain.last().instr)).Filename
		if !strings.HasSuffix(file, "_test.go") {
			return false
		}
	}
	return f.p.hasCode
}

// locksOf are the locks that an operation holds; a sync.Once is none.
func locksOf(e *event) []held {
	return slices.DeleteFunc(slices.Clone(e.locks), func(h held) bool { return h.once || h.done })
}

// perhapsOneLock reports whether two operations, each under locks, may hold one
// lock that goes by two paths: it is passed on, or kept behind a pointer.
func (f *finder) perhapsOneLock(x, y *event, hx, hy []held) bool {
	for _, h := range hx {
		for _, g := range hy {
			if h.mode == forReading && g.mode == forReading {
				continue
			}
			if !f.certain(x, h.lock) || !f.certain(y, g.lock) {
				return true
			}
		}
	}
	return false
}

// certain reports whether it is known which lock a path means: a variable, a
// part of an object that is made at a known place, or a field of the object that
// is accessed.
func (f *finder) certain(e *event, lock *path) bool {
	if lock.unsure {
		return false
	}
	if n := len(lock.steps); n > 0 && lock.steps[n-1].kind == toDeref {
		return false
	}
	if lock.base.kind == global || lock.base == e.path.base {
		return true
	}
	return lock.base.kind == alloc && !slices.ContainsFunc(lock.steps, func(s step) bool { return s.kind == toDeref })
}

// locksSomewhere reports whether the method that callers run takes a lock
// somewhere: then it is made to be called by several goroutines.
func (f *finder) locksSomewhere(e *event) bool {
	return slices.ContainsFunc(f.byOp[opLock], func(l *event) bool {
		return l.chain.instr == e.chain.instr && l.path.base == e.path.base
	})
}

// setsUp reports whether the method that callers run prepares the object for its use.
func (f *finder) setsUp(e *event) bool {
	name := strings.ToLower(e.chain.instr.Parent().Name())
	for _, word := range []string{"set", "with", "register", "init", "start", "open", "connect", "dial", "listen", "re", "enable", "disable", "unmarshal"} {
		if strings.HasPrefix(name, word) && !strings.HasPrefix(name, "read") {
			return true
		}
	}
	return false
}

// startsItself reports whether one of the two is in a goroutine that the
// library starts.
func (f *finder) startsItself(x, y *event) bool {
	return x.chain.next.spawns() != y.chain.next.spawns()
}

// closes reports whether the method that callers run ends the object's life.
func (f *finder) closes(e *event) bool {
	name := strings.ToLower(e.chain.instr.Parent().Name())
	for _, word := range []string{"close", "stop", "shutdown", "release", "destroy"} {
		if strings.HasPrefix(name, word) {
			return true
		}
	}
	return false
}

// guardedByFlag reports whether, in the lock region of an operation, another
// field of its object was looked at to decide whether it is done.
func (f *finder) guardedByFlag(e *event) bool {
	return len(f.flags(e)) > 0
}

// flags are the readings of bool and integer fields, in the operation's lock region, on which
// it depends.
func (f *finder) flags(e *event) []*event {
	var out []*event
	for _, r := range f.read {
		if r == e || !region(r, e) {
			continue
		}
		if rr, re, ok := f.follows(r, e); ok && f.p.depends(rr, re) == byBranch {
			out = append(out, r)
		}
	}
	return out
}

// flag notes an access of what may be a flag.
func (f *finder) flag(e *event) {
	if e.own || e.path.typ == nil || !isState(e.path.typ) {
		return
	}
	constant := e.value == trueValue || e.value == nilValue
	switch {
	case !e.op.writes():
		if len(e.locks) > 0 {
			f.read = append(f.read, e)
		}
	case e.op == opSwap, e.op != opSwap && constant && len(e.locks) > 0:
		f.set = append(f.set, e)
	}
}

func isState(t types.Type) bool {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "sync/atomic" {
		return true
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsBoolean|types.IsInteger) != 0
}

// owned reports whether a flag decides which of two operations may be done: it is
// tested and set under a lock before a goroutine, or call, that does the one, and
// looked at under the lock before the other.
func (f *finder) owned(x, y *event) bool {
	if f.shut(x, y) || f.shut(y, x) || f.onceSet(x, y) {
		return true
	}
	a, b := f.setsFlag(x), f.setsFlag(y)
	for _, w := range a {
		if slices.ContainsFunc(b, func(o *event) bool { return o.path.key == w.path.key }) || f.looksAt(y, w) {
			return true
		}
	}
	return slices.ContainsFunc(b, func(w *event) bool { return f.looksAt(x, w) })
}

func (f *finder) looksAt(e, w *event) bool {
	return slices.ContainsFunc(f.flags(e), func(r *event) bool { return r.path.key == w.path.key })
}

// shut reports whether y comes after a flag is set, and x is done only if it
// is not, under the lock with which it is set.
func (f *finder) shut(x, y *event) bool {
	for _, r := range f.flags(x) {
		for _, w := range f.set {
			if w.path.key != r.path.key || f.common(r, w) == nil {
				continue
			}
			if f.leadsTo(w, y) {
				return true
			}
		}
	}
	return false
}

// startsAnswer reports whether x waits only if a flag is set, and it is set in
// the region that the lock operation y begins.
func (f *finder) startsAnswer(x, y *event) bool {
	return slices.ContainsFunc(f.set, func(w *event) bool {
		return slices.ContainsFunc(w.locks, func(h held) bool { return h.at == y.chain }) && f.looksAt(x, w)
	})
}

// leadsTo reports whether y, or what leads to it, comes after w in a function.
func (f *finder) leadsTo(w, y *event) bool {
	_, rw, ry := part(w.chain, y.chain)
	if rw != nil && ry != nil && !rw.spawns() && f.p.Before(rw.instr, ry.instr) {
		return true
	}
	last := w.chain.last().instr // by another way to the same place
	for c := y.chain; c != nil; c = c.next {
		if c.instr.Parent() == last.Parent() && c.mode != deferred && f.p.Before(last, c.instr) {
			return true
		}
	}
	return false
}

// onceSet reports whether x is done once, when a flag is set, and y after that
// flag was looked at under the lock.
func (f *finder) onceSet(x, y *event) bool {
	for _, r := range f.flags(x) {
		for _, w := range f.set {
			if x.value == nilValue || w.path.key != r.path.key || !region(w, x) {
				continue
			}
			for _, q := range f.read {
				_, rq, ry := part(q.chain, y.chain)
				if q.path.key == r.path.key && rq != nil && ry != nil && !rq.spawns() && f.common(q, x) != nil && f.p.Before(rq.instr, ry.instr) {
					return true
				}
			}
		}
	}
	return false
}

// setsFlag are the writes of flags that are tested and set, in one step, before
// what leads to the operation.
func (f *finder) setsFlag(e *event) []*event {
	var out []*event
	for _, w := range f.set {
		_, rw, re := part(w.chain, e.chain)
		if rw == nil || re == nil || w.op == opSwap && rw.next != nil || rw.instr.Parent() != re.instr.Parent() || !f.p.Before(rw.instr, re.instr) {
			continue
		}
		if f.testAndSet(w, rw, re) {
			out = append(out, w)
		}
	}
	return out
}

// testAndSet reports whether the write is done only if the flag was not yet set.
func (f *finder) testAndSet(w *event, set, then *chain) bool {
	if w.op == opSwap {
		return f.p.depends(set, then) == byBranch && (w.value == derived || f.p.comparesEqual(w.chain.last().instr))
	}
	return slices.ContainsFunc(f.flags(w), func(r *event) bool { return r.path.key == w.path.key })
}

// warns reports whether the documentation of a function or type by which one
// gets at an operation says that this must not be done at once.
func (p *summarizer) warns(e *event) bool {
	for c := e.chain; c != nil; c = c.next {
		if p.forOne(c.instr.Parent()) {
			return true
		}
	}
	return false
}

// comparesEqual reports whether the result of an atomic operation is compared with
// a constant, so that one goroutine only goes on: if n.Add(1) == 1.
func (p *summarizer) comparesEqual(in ssa.Instruction) bool {
	v, ok := in.(ssa.Value)
	return ok && slices.ContainsFunc(p.branchesOn(v), func(branch *ssa.If) bool {
		cmp, ok := branch.Cond.(*ssa.BinOp)
		if !ok {
			return false
		}
		_, constant := cmp.Y.(*ssa.Const)
		return constant && cmp.X == v && (cmp.Op == token.EQL || cmp.Op == token.NEQ)
	})
}

// forOne reports whether the documentation says that a function, or what has it as a
// method, is not for several goroutines at once.
func (p *summarizer) forOne(fn *ssa.Function) bool {
	if known, ok := p.warned[fn]; ok {
		return known
	}
	text := ""
	if decl, ok := fn.Syntax().(*ast.FuncDecl); ok {
		text = decl.Doc.Text()
	}
	if recv := fn.Signature.Recv(); recv != nil {
		if n, ok := types.Unalias(deref(recv.Type())).(*types.Named); ok {
			text += p.typeDoc(n.Origin().Obj())
		}
	}
	is := alone.MatchString(strings.Join(strings.Fields(text), " "))
	if !is && fn.Pkg != nil && fn.Object() != nil && fn.Object().Exported() {
		is = single.MatchString(strings.Join(strings.Fields(p.packageDoc(fn.Pkg.Pkg)), " "))
	}
	p.warned[fn] = is
	return is
}

// What documentation says of a function or type, and of a package.
var (
	alone = regexp.MustCompile(`(?i)not (be )?(concurren|thread|goroutine)[a-z]*[- ]?safe|not safe (for|to)|not (be )?(called|used|modified|changed|accessed) (concurrently|while|when|after|by multiple|from multiple|simultaneously)|` +
		`(called|used|set|modified) (only )?(once|before)|only (be )?(called|used|set) (once|before|by one|from one)|before (any|calling|starting|using|use|the first)|(single|one|same) goroutine|not thread|not concurrent|more than once|programming error|in tests|for testing`)
	single = regexp.MustCompile(`(?i)not (concurrent|thread|goroutine)[a-z]*[- ]?safe|not safe for concurrent|(one|single) concurrent|no more than one goroutine`)
)

func (p *summarizer) packageDoc(pkg *types.Package) string {
	text := ""
	for _, u := range p.Packages {
		if u.Types == pkg {
			for _, f := range u.Files {
				text += f.Doc.Text() + " "
			}
		}
	}
	return text
}

func (p *summarizer) typeDoc(obj *types.TypeName) string {
	for _, u := range p.Packages {
		if u.Types != obj.Pkg() {
			continue
		}
		for _, file := range u.Files {
			if file.FileStart > obj.Pos() || obj.Pos() > file.FileEnd {
				continue
			}
			for _, d := range file.Decls {
				gen, ok := d.(*ast.GenDecl)
				if !ok {
					continue
				}
				for _, s := range gen.Specs {
					if ts, ok := s.(*ast.TypeSpec); ok && ts.Name.Pos() == obj.Pos() {
						return " " + gen.Doc.Text() + " " + ts.Doc.Text()
					}
				}
			}
		}
	}
	return ""
}
