// Package tracetest builds traces from a few lines of text, for tests of
// whatever reads traces.
//
// One line is one event or one fact, in execution order; '#' starts a comment:
//
//	GOROUTINE OP [OBJECT[=VALUE]] [FILE:LINE[:FUNC]] [call FILE:LINE[:FUNC]]...
//
//	main spawn serve main.go:67         # starts goroutine "serve"
//	serve start
//	serve lock probing.mu main.go:16 call main.go:37
//	serve read probing.v=0 main.go:18 call main.go:37
//	serve select s.quit=0/2 main.go:28  # chose compiler case 0 of 2
//	serve end
//	var probing.v int                   # type of an object; "int" otherwise
//	heap b.mu node.mu main.go:12        # an object on the heap: its name for people, where it was made
//	blocked serve lock c.mu main.go:30 call main.go:25 [holder probe]
//	outcome panic serve "panic: no connection left" main.go:48
//
// Frames stand innermost first. The function of a frame without FUNC is what
// Options.FuncAt says, else "main." and the goroutine's name; a FILE that begins
// with "std/" has the full name of its FUNC. The goroutine
// "main" exists from the start; the others are named after what their spawn
// line calls them ("worker#2" runs main.worker). Objects come into being when
// first named; equal names are equal objects in all traces.
package tracetest

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/hocket-dev/hocket/engine/trace"
)

// Options of Build.
type Options struct {
	Dir    string // put before file names
	FuncAt func(file string, line int) string
}

var ops = map[string]trace.Op{
	"spawn": trace.OpSpawn, "start": trace.OpStart, "end": trace.OpEnd, "gosched": trace.OpGosched,
	"block": trace.OpBlock, "unblock": trace.OpUnblock,
	"lock": trace.OpLock, "unlock": trace.OpUnlock, "trylock": trace.OpTryLock,
	"rlock": trace.OpRLock, "runlock": trace.OpRUnlock, "tryrlock": trace.OpTryRLock,
	"wgadd": trace.OpWGAdd, "wgdone": trace.OpWGDone, "wgwait": trace.OpWGWait,
	"condwait": trace.OpCondWait, "condwake": trace.OpCondWake, "signal": trace.OpSignal, "broadcast": trace.OpBroadcast,
	"once": trace.OpOnceDo, "mapread": trace.OpMapRead, "mapwrite": trace.OpMapWrite,
	"poolget": trace.OpPoolGet, "poolput": trace.OpPoolPut,
	"send": trace.OpSend, "recv": trace.OpRecv, "close": trace.OpClose, "select": trace.OpSelect, "selectcase": trace.OpSelectCase,
	"load": trace.OpAtomicLoad, "store": trace.OpAtomicStore, "rmw": trace.OpAtomicRMW, "cas": trace.OpAtomicCAS,
	"read": trace.OpRead, "write": trace.OpWrite, "readrange": trace.OpReadRange, "writerange": trace.OpWriteRange,
	"netdial": trace.OpNetDial, "netaccept": trace.OpNetAccept, "netread": trace.OpNetRead, "netwrite": trace.OpNetWrite, "netclose": trace.OpNetClose,
	"sleep": trace.OpSleep, "timer": trace.OpTimer, "testfail": trace.OpTestFail, "panic": trace.OpPanic,
	"panicstart": trace.OpPanicStart, "fatal": trace.OpFatal, "exit": trace.OpExit,
}

type builder struct {
	t       *trace.Trace
	opt     Options
	gs      map[string]trace.GID
	objs    map[string]trace.ObjID
	stacks  map[string]trace.StackID
	counts  map[trace.GID]uint32
	objects map[string]string // types
}

// Build makes a trace of the text.
func Build(text string, opt Options) (*trace.Trace, error) {
	b := &builder{
		t: &trace.Trace{
			Version: trace.Version, GoVersion: "go1.26", Goroutines: make([]trace.Goroutine, 1),
			Objects: make([]trace.Object, 1), Stacks: make([][]trace.Frame, 1),
		},
		opt: opt, gs: map[string]trace.GID{}, objs: map[string]trace.ObjID{},
		stacks: map[string]trace.StackID{}, counts: map[trace.GID]uint32{}, objects: map[string]string{},
	}
	b.goroutine("main", 0, 0)
	b.t.Outcome.Kind = trace.Passed
	for n, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, " #")
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if err := b.line(line); err != nil {
			return nil, fmt.Errorf("line %d: %q: %w", n+1, line, err)
		}
	}
	for i := range b.t.Objects {
		if typ := b.objects[b.t.Objects[i].Var]; typ != "" {
			b.t.Objects[i].Type = typ
		}
	}
	return b.t, nil
}

func (b *builder) line(line string) error {
	w := strings.Fields(line)
	switch w[0] {
	case "var":
		if len(w) < 3 {
			return fmt.Errorf("want: var NAME TYPE")
		}
		b.objects[w[1]] = strings.Join(w[2:], " ")
		return nil
	case "heap":
		return b.heap(w)
	case "outcome":
		return b.outcome(line, w)
	case "blocked":
		return b.blocked(w)
	}
	if len(w) < 2 {
		return fmt.Errorf("want GOROUTINE OP and its operands")
	}
	g, ok := b.gs[w[0]]
	if !ok {
		return fmt.Errorf("goroutine %q was not spawned", w[0])
	}
	return b.event(g, w[0], w[1:])
}

func (b *builder) heap(w []string) error {
	if len(w) < 4 {
		return fmt.Errorf("want: heap NAME VAR PLACE...")
	}
	st, err := b.stack("main", w[3:])
	o := &b.t.Objects[b.object(w[1])]
	o.Kind, o.Var, o.Alloc, o.Born = trace.ObjHeap, w[2], st, len(b.t.Events)
	o.Name = fmt.Sprintf("alloc:%s+0", w[1])
	return err
}

func (b *builder) event(g trace.GID, name string, w []string) error {
	op, ok := ops[w[0]]
	if !ok {
		return fmt.Errorf("unknown operation %q", w[0])
	}
	b.counts[g]++
	e := trace.Event{Seq: len(b.t.Events), G: g, Op: op, Count: b.counts[g]}
	w = w[1:]
	switch {
	case op == trace.OpSpawn:
		if len(w) == 0 {
			return fmt.Errorf("want: spawn NAME PLACE")
		}
		st, err := b.stack(name, w[1:])
		if err != nil {
			return err
		}
		e.Stack, e.Aux = st, uint64(b.goroutine(w[0], g, st))
		w = nil
	case len(w) > 0 && !isPlace(w[0]):
		if err := b.operand(&e, w[0]); err != nil {
			return err
		}
		w = w[1:]
	}
	if op == trace.OpEnd {
		b.t.Goroutines[g].Ended = true
	}
	if e.Stack == 0 {
		st, err := b.stack(name, w)
		if err != nil {
			return err
		}
		e.Stack = st
	}
	b.t.Events = append(b.t.Events, e)
	return nil
}

// operand reads OBJECT[=VALUE[/AUX]].
func (b *builder) operand(e *trace.Event, w string) error {
	name, val, has := strings.Cut(w, "=")
	e.Obj = b.object(name)
	e.Aux = 8
	if !has {
		e.Value, e.HasValue = 1, e.Op == trace.OpSend || e.Op == trace.OpRecv
		return nil
	}
	val, aux, hasAux := strings.Cut(val, "/")
	switch val {
	case "nil", "false":
		val = "0"
	case "true":
		val = "1"
	}
	v, err := strconv.ParseInt(val, 0, 64)
	if err != nil {
		return err
	}
	e.Value, e.HasValue = uint64(v), true
	if hasAux {
		e.Aux, err = strconv.ParseUint(aux, 0, 64)
	}
	return err
}

func isPlace(w string) bool { return strings.Contains(w, ".go:") }

func (b *builder) object(name string) trace.ObjID {
	if id, ok := b.objs[name]; ok || name == "-" {
		return id
	}
	id := trace.ObjID(len(b.t.Objects))
	b.objs[name] = id
	b.t.Objects = append(b.t.Objects, trace.Object{
		ID: id, Kind: trace.ObjGlobal, Addr: 0x1000 * uint64(id), Size: 8, Name: "main." + name + "+0", Var: name, Type: "int",
	})
	return id
}

func (b *builder) goroutine(name string, parent trace.GID, spawn trace.StackID) trace.GID {
	id := trace.GID(len(b.t.Goroutines))
	g := trace.Goroutine{ID: id, Parent: parent, Path: "0", Display: name, Spawn: spawn}
	base, _, _ := strings.Cut(name, "#")
	g.Func = "main." + strings.TrimPrefix(base, "main.")
	if parent != 0 {
		for _, o := range b.t.Goroutines {
			if o.Parent == parent {
				g.Index++
			}
		}
		g.Index++
		g.Path = fmt.Sprintf("%s.%d", b.t.Goroutines[parent].Path, g.Index)
	}
	h := fnv.New64a()
	h.Write([]byte(g.Path))
	g.Key = h.Sum64()
	b.gs[name] = id
	b.t.Goroutines = append(b.t.Goroutines, g)
	return id
}

// stack reads PLACE [call PLACE]...
func (b *builder) stack(gname string, w []string) (trace.StackID, error) {
	if len(w) == 0 {
		return 0, nil
	}
	key := gname + " " + strings.Join(w, " ")
	if id, ok := b.stacks[key]; ok {
		return id, nil
	}
	var frames []trace.Frame
	for i, p := range w {
		if i%2 == 1 {
			if p != "call" {
				return 0, fmt.Errorf("want call before %q", p)
			}
			continue
		}
		f, err := b.frame(gname, p)
		if err != nil {
			return 0, err
		}
		frames = append(frames, f)
	}
	id := trace.StackID(len(b.t.Stacks))
	b.stacks[key] = id
	b.t.Stacks = append(b.t.Stacks, frames)
	return id, nil
}

func (b *builder) frame(gname, p string) (trace.Frame, error) {
	part := strings.SplitN(p, ":", 3)
	if len(part) < 2 {
		return trace.Frame{}, fmt.Errorf("bad place %q", p)
	}
	line, err := strconv.Atoi(part[1])
	if err != nil {
		return trace.Frame{}, err
	}
	f := trace.Frame{File: b.opt.Dir + part[0], Line: line}
	switch {
	case strings.HasPrefix(part[0], "std/") && len(part) == 3:
		f.File, f.Func = part[0], part[2]
	case len(part) == 3:
		f.Func = "main." + strings.TrimPrefix(part[2], "main.")
	case b.opt.FuncAt != nil:
		f.Func = b.opt.FuncAt(f.File, line)
	}
	if f.Func == "" {
		base, _, _ := strings.Cut(gname, "#")
		f.Func = "main." + strings.TrimPrefix(base, "main.")
	}
	return f, nil
}

func (b *builder) outcome(line string, w []string) error {
	if len(w) < 2 {
		return fmt.Errorf("want: outcome KIND [GOROUTINE \"MESSAGE\" PLACE...]")
	}
	o := &b.t.Outcome
	o.Kind = trace.OutcomeKind(w[1])
	if i := strings.IndexByte(line, '"'); i >= 0 {
		msg, rest, ok := strings.Cut(line[i+1:], "\"")
		if !ok {
			return fmt.Errorf("message does not end")
		}
		o.Message = msg
		name := ""
		if len(w) > 2 && w[2][0] != '"' {
			name = w[2]
			o.Goroutine = b.gs[name]
		}
		st, err := b.stack(name, strings.Fields(rest))
		if err != nil {
			return err
		}
		o.Stack = st
	}
	return nil
}

func (b *builder) blocked(w []string) error {
	if len(w) < 5 {
		return fmt.Errorf("want: blocked GOROUTINE OP OBJECT PLACE... [holder NAME]")
	}
	bl := trace.Blocked{G: b.gs[w[1]], Op: ops[w[2]], Obj: b.object(w[3]), Reason: w[2]}
	if n := len(w); w[n-2] == "holder" {
		bl.Holder = b.gs[w[n-1]]
		w = w[:n-2]
	}
	st, err := b.stack(w[1], w[4:])
	bl.Stack = st
	b.t.Outcome.Blocked = append(b.t.Outcome.Blocked, bl)
	return err
}
