package projection

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/source"
	"github.com/hocket-dev/hocket/engine/trace"
)

// An object is called as the source calls it where it is accessed: "n.ch", "slots[2]".
// Within one explanation an object has one name and a name is of one object: of two
// that the source calls alike, the callers' names are taken, or they are numbered in
// the order in which they were made.

// naming holds the names that were given.
type naming struct {
	names map[string]string // by key of an object
	taken map[string]bool
}

const (
	maxClimb   = 3  // callers that are asked what they call a parameter
	maxElse    = 64 // accesses beyond the explanation's own that are asked, and waits
	phraseMark = "the "
)

// object is what to call the object of an entry: code is in backquotes.
func (a *analysis) object(e entry) string {
	name := a.nameOf(e)
	if e.ev >= 0 && (e.op == trace.OpReadRange || e.op == trace.OpWriteRange) {
		if o := e.r.Object(e.obj); o.Size > 0 && e.r.events[e.ev].Aux > uint64(o.Size) {
			name = lastIndex.ReplaceAllString(name, "") // several elements
		}
	}
	return quoted(name)
}

// quoted puts code into backquotes; phrases stay as they are.
func quoted(name string) string {
	for _, mark := range phraseMarks {
		if strings.HasPrefix(name, mark) {
			return name
		}
	}
	return "`" + name + "`"
}

// phraseMarks begin what is no code.
var phraseMarks = []string{phraseMark, "element ", "an "}

// nameOf is the name of an entry's object, without backquotes.
func (a *analysis) nameOf(e entry) string {
	if e.obj == 0 || int(e.obj) >= len(e.r.Objects) {
		return ""
	}
	if a.naming == nil {
		a.naming = &naming{names: map[string]string{}, taken: map[string]bool{}}
		a.nameAll(append(a.waits(), a.root...))
	}
	key := a.objectKey(e)
	if _, ok := a.naming.names[key]; !ok {
		a.nameAll([]entry{e})
	}
	return a.naming.names[key]
}

// objectOf is what to call an object of the failing run.
func (a *analysis) objectOf(obj trace.ObjID) string {
	return a.object(entry{r: a.fail, ev: -1, obj: obj})
}

// objectAt is what to call the object of an event.
func (a *analysis) objectAt(r *run, ev int) string {
	e := &r.events[ev]
	return a.object(entry{r: r, ev: ev, g: e.G, op: e.Op, obj: e.Obj, stack: a.frames(r, e.G, e.Stack, e.Obj), full: r.stack(ev), own: true})
}

// waits are what goroutines are blocked in for ever, and how what they wait for was
// locked: these are told apart before anything is said of one of them.
func (a *analysis) waits() []entry {
	var out []entry
	held := a.fail.held()
	for _, b := range a.fail.Outcome.Blocked[:min(len(a.fail.Outcome.Blocked), maxElse)] {
		st := a.fail.stackOf(b.Stack)
		out = append(out, entry{r: a.fail, ev: -1, g: b.G, op: b.Op, obj: b.Obj, stack: a.frames(a.fail, b.G, b.Stack, b.Obj), full: st, own: true})
		for _, h := range held[b.Obj] {
			e := a.entry(h.ev)
			e.own = true
			out = append(out, e)
		}
	}
	return out
}

// objectKey is equal for an object in all runs, where it has such a name.
func (a *analysis) objectKey(e entry) string {
	o := e.r.Objects[e.obj]
	if n := a.stdName(e); n != "" {
		return "std " + n // its parts are many objects
	}
	if o.Name == "" || strings.HasPrefix(o.Name, "local:") {
		return fmt.Sprintf("%p %d", e.r, e.obj)
	}
	return o.Name
}

// nameAll names the objects of entries, in their order.
func (a *analysis) nameAll(es []entry) {
	var keys []string
	of := map[string][]entry{}
	for _, e := range es {
		if e.obj == 0 || int(e.obj) >= len(e.r.Objects) {
			continue
		}
		k := a.objectKey(e)
		if _, ok := a.naming.names[k]; ok {
			continue
		}
		if of[k] == nil {
			keys = append(keys, k)
		}
		of[k] = append(of[k], e)
	}
	names := make([]string, len(keys))
	for climb := 0; climb <= maxClimb; climb++ {
		count := map[string]int{}
		for _, n := range names {
			count[n]++
		}
		for i, k := range keys {
			if climb == 0 || count[names[i]] > 1 || a.naming.taken[names[i]] {
				names[i] = a.bestName(of[k], climb)
			}
		}
	}
	count := map[string]int{}
	for _, n := range names {
		count[n]++
	}
	for i, k := range keys {
		n := names[i]
		if count[n] > 1 || a.naming.taken[n] {
			n = a.numbered(n, of[k][0])
		}
		a.naming.names[k], a.naming.taken[n] = n, true
	}
}

// bestName is what most entries call their object, or else other accesses to it.
func (a *analysis) bestName(es []entry, climb int) string {
	if n := a.fixedName(es[0]); n != "" {
		return n
	}
	best, votes := "", map[string]int{}
	vote := func(e entry) {
		if n := a.sourceName(e, climb); n != "" {
			votes[n] += 2
			if best == "" || rank(n, votes) > rank(best, votes) {
				best = n
			}
		}
	}
	for _, e := range es {
		vote(e)
	}
	if best != "" {
		return best
	}
	r, n := es[0].r, 0
	for i := range r.events {
		if e := &r.events[i]; e.Obj == es[0].obj && n < maxElse && best == "" {
			n++
			vote(entry{r: r, ev: i, g: e.G, op: e.Op, obj: e.Obj, stack: a.userFrames(r.stack(i)), full: r.stack(i), exact: es[0].exact, own: es[0].own})
		}
	}
	if best != "" {
		return best
	}
	return a.described(es[0])
}

// rank prefers what most accesses say, then a field to a local variable.
func rank(name string, votes map[string]int) int {
	if strings.Contains(name, ".") {
		return votes[name] + 1
	}
	return votes[name]
}

// fixedName is for objects whose name does not depend on who accesses them: package
// variables of the user's, and what std makes for a program.
func (a *analysis) fixedName(e entry) string {
	o := &e.r.Objects[e.obj]
	if n := a.stdName(e); n != "" {
		return n
	}
	if strings.HasPrefix(o.Name, "local:") || o.Alloc != 0 || strings.ContainsAny(o.Var, " +") || o.Elem == trace.MapHeader {
		return ""
	}
	if a.inStd(e) {
		return ""
	}
	return o.Var
}

// sourceName is what the source calls an entry's object, asking callers where the
// access is in a helper, and climb more of them.
func (a *analysis) sourceName(e entry, climb int) string {
	if len(e.stack) == 0 {
		return ""
	}
	op := a.operand(e)
	if op.Text == "" {
		return ""
	}
	if a.atCaller(e) {
		climb++
	}
	st := append(append([]trace.Frame{}, e.stack...), a.userFrames(e.r.stackOf(e.r.Goroutine(e.g).Spawn))...)
	for k := 0; k < climb && k+1 < len(st); k++ {
		up := a.fn(st[k+1]).Passed(st[k+1].Line, st[k].Func, a.fn(st[k]), op.Root)
		if up.Text == "" {
			break
		}
		rest := strings.TrimPrefix(strings.TrimPrefix(op.Text, "*"), op.Root)
		op.Text, op.Root = up.Text+rest, up.Root
	}
	return op.Text
}

func (a *analysis) fn(f trace.Frame) *source.Func {
	return a.files.File(a.abs(f.File)).Func(f.Func, f.Line)
}

// operand finds an entry's object in the source line of its access.
func (a *analysis) operand(e entry) source.Operand {
	f, o := e.stack[0], &e.r.Objects[e.obj]
	fn := a.fn(f)
	if a.inStd(e) {
		return fn.Call(f.Line, a.stdCallee(e)).Recv
	}
	v := parseVar(o.Var)
	switch {
	case o.Elem == trace.MapHeader:
		return fn.Map(f.Line, v.last)
	case isChanOp(e.op):
		line := f.Line
		if e.op == trace.OpSelect && e.ev >= 0 {
			if l, _ := a.selectCase(e); l > 0 {
				line = l
			}
		}
		return fn.Operand(line, a.which(e, source.Want{Chan: true}))
	case methods[e.op] != nil:
		op := fn.Operand(f.Line, a.which(e, source.Want{Methods: methods[e.op]}))
		if v.element && v.index != "" {
			op.Text = lastIndex.ReplaceAllString(op.Text, "["+v.index+"]$1")
		}
		if op.Text != "" && embedded[v.last] && lastName(op.Text) != v.last {
			op.Text += "." + v.last
		}
		return op
	}
	op := fn.Operand(f.Line, a.which(e, source.Want{Name: v.last, Element: v.element, Write: e.writes()}))
	if op.Text == "" && v.element && v.index != "" { // a copy, or append
		if op = fn.Operand(f.Line, source.Want{Name: v.last}); op.Text != "" {
			op.Text += "[" + v.index + "]"
		}
	} else if v.index != "" {
		op.Text = lastIndex.ReplaceAllString(op.Text, "["+v.index+"]$1")
	}
	return op
}

// which adds which of the operations of its line an entry is, where the code of one
// function calls one of another's several times there.
func (a *analysis) which(e entry, w source.Want) source.Want {
	if e.ev < 0 || len(e.full) == 0 || e.full[0] != e.stack[0] {
		return w
	}
	if id := int(e.r.events[e.ev].Stack); id < len(e.r.Sites) {
		if s, err := site.Parse(e.r.Sites[id]); err == nil {
			w.Nth, w.Of = s.Nth, s.Of
		}
	}
	return w
}

// lastIndex is the last index of an expression, and what follows it.
var lastIndex = regexp.MustCompile(`\[[^\[\]]*\]([^\[\]]*)$`)

// embedded are the names of fields of which methods are promoted.
var embedded = map[string]bool{"Mutex": true, "RWMutex": true, "Locker": true, "WaitGroup": true, "Once": true, "Map": true, "Cond": true}

func isChanOp(op trace.Op) bool {
	return op == trace.OpSend || op == trace.OpRecv || op == trace.OpClose || op == trace.OpSelect || op == trace.OpSelectCase || op == trace.OpChanLen
}

// methods that an operation is a call of; of a function of package atomic, how its
// name begins.
var methods = map[trace.Op][]string{
	trace.OpLock: {"Lock"}, trace.OpUnlock: {"Unlock"}, trace.OpTryLock: {"TryLock"},
	trace.OpRLock: {"RLock"}, trace.OpRUnlock: {"RUnlock"}, trace.OpTryRLock: {"TryRLock"},
	trace.OpWGAdd: {"Add", "Go"}, trace.OpWGDone: {"Done", "Add", "Go"}, trace.OpWGWait: {"Wait"},
	trace.OpCondWait: {"Wait"}, trace.OpCondWake: {"Wait"}, trace.OpSignal: {"Signal"}, trace.OpBroadcast: {"Broadcast"},
	trace.OpOnceDo: {"Do"}, trace.OpOnceLoad: {"Do"}, trace.OpPoolGet: {"Get"}, trace.OpPoolPut: {"Put"},
	trace.OpMapRead:    {"Load", "Range"},
	trace.OpMapWrite:   {"Store", "LoadOrStore", "LoadAndDelete", "Delete", "Swap", "CompareAndSwap", "CompareAndDelete", "Clear"},
	trace.OpAtomicLoad: {"Load"}, trace.OpAtomicStore: {"Store"}, trace.OpAtomicRMW: {"Add", "Swap", "And", "Or"}, trace.OpAtomicCAS: {"CompareAndSwap"},
}

// parsedVar is what a trace's name of an object says.
type parsedVar struct {
	last    string // field or variable, "" if it is unknown
	element bool   // it is an element of that
	index   string // the number of the last element in the name
	typ     string // the named type that the name begins with
}

var (
	madeAt    = regexp.MustCompile(` \((used in )?[^()]*:\d+\)$`)
	elementOf = regexp.MustCompile(`^element (\d+)((?:\.\w+)*) of `)
	indexed   = regexp.MustCompile(`\[(\d+)\][^\[\]]*$`)
	plainName = regexp.MustCompile(`^[\pL_][\pL\pN_.\[\]]*$`)
)

func parseVar(v string) parsedVar {
	var p parsedVar
	if m := elementOf.FindStringSubmatch(v); m != nil {
		p.index, p.element, p.last = m[1], m[2] == "", lastName(m[2])
		return p
	}
	made := madeAt.MatchString(v)
	v = strings.TrimPrefix(madeAt.ReplaceAllString(v, ""), "*")
	if !plainName.MatchString(v) || made && (strings.HasPrefix(v, "sync.") || strings.HasPrefix(v, "atomic.")) {
		return p
	}
	if m := indexed.FindStringSubmatch(v); m != nil {
		p.index = m[1]
	}
	if strings.HasSuffix(v, "]") {
		v, p.element = v[:strings.LastIndexByte(v, '[')], true
	}
	dot := strings.LastIndexByte(v, '.')
	if made && dot < 0 {
		return p // a type
	}
	p.last = v[dot+1:]
	if dot > 0 {
		p.typ = v[:strings.IndexByte(v, '.')]
	}
	return p
}

// numbered tells an object apart from others that the source calls alike:
// "node#2.mu" is of the second node that was made.
func (a *analysis) numbered(name string, e entry) string {
	o := &e.r.Objects[e.obj]
	v := parseVar(o.Var)
	if v.typ == "" {
		for k := 1; ; k++ {
			n := fmt.Sprintf("%s#%d", name, k)
			if strings.Contains(name, " ") {
				n = fmt.Sprintf("%s (#%d)", name, k)
			}
			if !a.naming.taken[n] {
				return n
			}
		}
	}
	base, _ := split(o.Name)
	first := map[string]int{} // index of the first event after it was made, by allocation
	for _, x := range e.r.Objects[1:] {
		if b, _ := split(x.Name); parseVar(x.Var).typ == v.typ && first[b] == 0 {
			first[b] = x.Born + 1
		}
	}
	nth := 1
	for b, at := range first {
		if at < first[base] || at == first[base] && b < base {
			nth++
		}
	}
	_, rest, _ := strings.Cut(o.Var, ".")
	return fmt.Sprintf("%s#%d.%s", v.typ, nth, rest)
}

// described says of an object without a name what it is and where it was made.
func (a *analysis) described(e entry) string {
	o := &e.r.Objects[e.obj]
	what := madeAt.ReplaceAllString(o.Var, "")
	if plainName.MatchString(what) && what == o.Var {
		return what
	}
	if strings.HasPrefix(what, "element of a ") {
		return "an " + what
	}
	if m := elementOf.FindStringSubmatch(o.Var); m != nil {
		return fmt.Sprintf("element %s%s of a `%s`", m[1], m[2], strings.TrimPrefix(what, m[0]+"a "))
	}
	at := a.userFrames(e.r.stackOf(o.Alloc))
	if strings.HasPrefix(what, "variable") {
		what = "variable"
	} else {
		what = "`" + strings.TrimPrefix(what, "*") + "`"
	}
	if len(at) == 0 {
		return phraseMark + what
	}
	return fmt.Sprintf("%s%s made at %s", phraseMark, what, a.lineOf(at[0], true))
}
