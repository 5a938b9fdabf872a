package projection

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/trace"
)

// An object is called as the source calls it where it is accessed: "n.ch", "slots[2]".
// Within one explanation an object has one name and a name is of one object: of two
// that the source calls alike, the callers' names are taken, or they are numbered in
// the order in which they were made.

// stdKey begins the keys of what the standard library made, and of what is accessed in
// it: its name follows.
const stdKey = "std "

// naming holds the names that were given.
type naming struct {
	names map[string]string // by key of an object
	taken map[string]bool   // as unique gives them
}

// unique is equal for names that must not be equal: a variable has the name of the
// channel, map or lock that it leads to.
func unique(name string, e entry) string {
	o := &e.r.Objects[e.obj]
	switch o.Elem {
	case "ptr", "chan", "map", "slice", "func", "interface", "unsafe.Pointer":
		if o.Kind != trace.ObjChan {
			return "variable " + name
		}
	}
	return name
}

const (
	maxClimb   = 3  // callers that are asked what they call a parameter
	maxElse    = 64 // accesses beyond the explanation's own that are asked, and waits
	phraseMark = "the "
)

// object is what to call the object of an entry: code is in backquotes.
func (a *analysis) object(e entry) string {
	switch name := a.accessedName(e); {
	case name != "":
		return quoted(name)
	case isChanOp(e.op):
		return "a channel"
	}
	return "it"
}

// accessedName is the name of what an entry accesses: of several elements or fields at
// once it is that of the whole.
func (a *analysis) accessedName(e entry) string {
	name := a.nameOf(e)
	if e.ev < 0 || e.op != trace.OpReadRange && e.op != trace.OpWriteRange {
		return name
	}
	if o := e.r.Object(e.obj); o.Size > 0 && e.r.events[e.ev].Aux > uint64(o.Size) {
		return lastPart.ReplaceAllString(name, "")
	}
	return name
}

// lastPart is the last index or field of a name.
var lastPart = regexp.MustCompile(`(\[[^\[\]]*\]|\.[\pL\pN_]+)$`)

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
		a.nameAll(slices.Concat(a.waits(), a.root, a.raceLocks()))
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
		return stdKey + n // its parts are many objects
	}
	if len(e.stack) > 0 && a.inStd(e) {
		if n := a.operand(e).Text; n != "" {
			return stdKey + n
		}
		if c := a.fn(e.stack[0]).Call(e.stack[0].Line, a.stdCallee(e)).Fun; c != "" {
			return stdKey + c
		}
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
		if n, ok := strings.CutPrefix(k, stdKey); ok {
			a.naming.names[k] = n
			continue
		}
		if of[k] == nil {
			keys = append(keys, k)
		}
		of[k] = append(of[k], e)
	}
	names := make([]string, len(keys))
	clash := func(i int) bool {
		u := unique(names[i], of[keys[i]][0])
		n := 0
		for k := range keys {
			if unique(names[k], of[keys[k]][0]) == u {
				n++
			}
		}
		return n > 1 || a.naming.taken[u]
	}
	for climb := 0; climb <= maxClimb; climb++ {
		var again []int
		for i := range keys {
			if climb == 0 || clash(i) {
				again = append(again, i)
			}
		}
		for _, i := range again {
			names[i] = a.bestName(of[keys[i]], climb)
		}
	}
	for i, k := range keys {
		if clash(i) {
			a.naming.names[k] = a.numbered(names[i], of[k][0])
		} else {
			a.naming.names[k] = names[i]
		}
	}
	for _, k := range keys {
		a.naming.taken[unique(a.naming.names[k], of[k][0])] = true
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
			if u := unique(n, e); !a.naming.taken[u] {
				a.naming.taken[u] = true
				return n
			}
		}
	}
	held := e.r.holder(e.obj)
	base, _ := trace.SplitOffset(held.Name)
	first := map[string]int{} // index of the first event after it was made, by allocation
	for i := range e.r.Objects[1:] {
		x := e.r.holder(trace.ObjID(i + 1))
		if isHeld(x) != isHeld(held) {
			continue
		}
		if b, _ := trace.SplitOffset(x.Name); parseVar(x.Var).typ == v.typ && first[b] == 0 {
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

// holder is the variable that an object is reached by, which is a part of what holds it,
// where the object has the name of that: a channel of the field "Hub.ch" is made apart
// from its Hub. Other objects are their own.
func (r *run) holder(obj trace.ObjID) *trace.Object {
	o := &r.Objects[obj]
	if !isHeld(o) {
		return o
	}
	if r.holders == nil {
		r.holders = map[heldBy]trace.ObjID{}
		for i := range r.events {
			if e := &r.events[i]; e.Writes() && e.HasValue && e.Value != 0 && e.Obj != 0 {
				r.holders[heldBy{e.Value, r.Objects[e.Obj].Var}] = e.Obj
			}
		}
	}
	if by, ok := r.holders[heldBy{o.Addr, o.Var}]; ok {
		return &r.Objects[by]
	}
	return o
}

// isHeld is true of what a variable only leads to.
func isHeld(o *trace.Object) bool { return o.Kind == trace.ObjChan || o.Elem == trace.MapHeader }

// heldBy is a value that was written, and the name of the variable.
type heldBy struct {
	addr uint64
	name string
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
