package projection

import (
	"regexp"
	"strings"

	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/source"
	"github.com/hocket-dev/hocket/engine/trace"
)

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
	case e.op == trace.OpSelectCase && e.ev >= 0:
		line, _ := fn.SelectCase(f.Line, int(int64(e.r.events[e.ev].Value)), e.r.casesAt(e.ev))
		return fn.Operand(line, source.Want{Chan: true})
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
		op.Text = withIndexes(op.Text, o.Var)
		if op.Text != "" && embedded[v.last] && lastName(op.Text) != v.last {
			op.Text += "." + v.last
		}
		return op
	}
	op := fn.Operand(f.Line, a.which(e, source.Want{Name: v.last, Element: v.element, Write: changes(e), Read: isPlain(e.op) && !changes(e)}))
	if op.Text == "" && v.element && v.index != "" { // a copy, or append
		if op = fn.Operand(f.Line, source.Want{Name: v.last}); op.Text != "" {
			op.Text += "[" + v.index + "]"
		}
	} else {
		op.Text = withIndexes(op.Text, o.Var)
	}
	return op
}

// casesAt is how many cases the select has that an event tells one of: they stand together.
func (r *run) casesAt(ev int) int {
	list, at := r.byG[r.events[ev].G], r.pos[ev]
	is := func(i int) bool { return i >= 0 && i < len(list) && r.events[list[i]].Op == trace.OpSelectCase }
	from, to := at, at
	for is(from - 1) {
		from--
	}
	for is(to + 1) {
		to++
	}
	return to - from + 1
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

// withIndexes puts the indexes of a trace's name in the place of the last ones of an
// expression: "g.cells[x][y].n" of "grid.cells[1][2].n" is "g.cells[1][2].n".
func withIndexes(text, name string) string {
	at := anyIndex.FindAllStringIndex(text, -1)
	known := numberIndex.FindAllString(madeAt.ReplaceAllString(name, ""), -1)
	if m := elementOf.FindStringSubmatch(name); m != nil {
		known = []string{"[" + m[1] + "]"}
	}
	for len(at) > 0 && len(known) > 0 {
		i, k := at[len(at)-1], known[len(known)-1]
		text = text[:i[0]] + k + text[i[1]:]
		at, known = at[:len(at)-1], known[:len(known)-1]
	}
	return text
}

var (
	anyIndex    = regexp.MustCompile(`\[[^\[\]]*\]`)
	numberIndex = regexp.MustCompile(`\[\d+\]`)
)

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
