package trace

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hocket-dev/hocket/engine/rt"
)

// The places of the hand-made program.
const (
	pcLock   = 0x10 // sync.(*Mutex).Lock
	pcGet    = 0x20 // m.(*cell).get, inlined into m.work
	pcGo     = 0x30 // m.main
	pcNew    = 0x40
	pcGoexit = 0x50
	pcMain   = 0x60 // runtime.main
	pcTest   = 0x70 // testing.tRunner
	pcHook   = 0x80 // a hook of control mode
	entWork  = 0x1000
	entTest  = 0x1100
	addrN    = 0xc000010008
	addrMu   = 0xc000010000
	addrVar  = testText + 0x5000
)

var testNames = fakeNames{
	frames: map[uint64][]Frame{
		pcLock:   {{Func: "sync.(*Mutex).Lock", File: testRoot + "/sync/mutex.go", Line: 46}},
		pcGet:    {{Func: "ex.com/m.(*cell).get", File: "/m/cell.go", Line: 7}, {Func: "ex.com/m.work", File: "/m/cell.go", Line: 20}},
		pcGo:     {{Func: "main.main", File: "/m/main.go", Line: 30}},
		pcNew:    {{Func: "ex.com/m.newCell", File: "/m/cell.go", Line: 12}},
		pcGoexit: {{Func: "runtime.goexit", File: testRoot + "/runtime/asm.s", Line: 1}},
		pcMain:   {{Func: "runtime.main", File: testRoot + "/runtime/proc.go", Line: 290}},
		pcHook:   {{Func: "runtime.hkDone", File: testRoot + "/runtime/hocket_hooks.go", Line: 9}},
		pcTest:   {{Func: "testing.tRunner", File: testRoot + "/testing/testing.go", Line: 1900}},
	},
	types: map[TypeReq]TypeInfo{
		{Type: 0x99, Offset: 0, Want: 0}: {Root: "m.cell", RootSize: 16, Index: 0, Path: ".mu", Type: "sync.Mutex", Size: 8, Kind: "struct"},
		{Type: 0x99, Offset: 8, Want: 0}: {Root: "m.cell", RootSize: 16, Index: 0, Path: ".n", Type: "int32", Size: 4, Kind: "int32"},
	},
	entries: map[uint64]Frame{
		entWork: {Func: "ex.com/m.work", File: "/m/cell.go", Line: 18},
		entTest: {Func: "testing.tRunner", File: testRoot + "/testing/testing.go", Line: 1800},
	},
	globals: map[uint64]GlobalInfo{
		0x5000: {Symbol: "ex.com/m.total", Offset: 8, Path: ".sum", Type: "int", Size: 8, Kind: "int64"},
	},
}

// twoWorkers is a run of two workers on one cell.
func twoWorkers() *runFile {
	r := newRunFile()
	spawn := r.stack(pcGo, pcMain, pcGoexit)
	r.goroutine(100, 0, 0, 0, 0)
	r.goroutine(101, 1, 1, entWork, spawn)
	r.goroutine(102, 1, 2, entWork, spawn)
	lock, get, made := r.stack(pcLock, pcGet, pcGoexit), r.stack(pcGet, pcGoexit), r.stack(pcNew, pcGo)
	r.alloc(addrMu, 16, testText+0x99, made, 1)
	r.event(1, OpSpawn, 0, spawn, nil, 2)
	r.event(1, OpSpawn, 0, spawn, nil, 3)
	for g := uint32(2); g <= 3; g++ {
		r.event(g, OpStart, 0, 0, nil, 0)
		r.event(g, OpLock, addrMu, lock, 0, 0)
		r.event(g, OpWrite, addrN, get, int(g)-2, 1)
	}
	r.event(2, OpRead, addrN, get, 9<<32|7, 1)
	r.event(1, OpRead, addrVar, spawn, -1, 1)
	r.add(rt.WPickOff, uint64(100), uint32(3), uint32(0))
	r.words[rt.WStatus] = rt.StatusDeadlock
	r.add(rt.WBlockedOff, uint32(2), uint8(OpLock), uint8(1), uint16(5), uint64(addrMu), lock, uint32(0))
	r.add(rt.WRaceOff, uint64(addrN), uint32(2), uint32(3), uint64(pcGet), uint64(pcGet), get, uint32(3), uint64(7))
	return r
}

func decode(t *testing.T, r *runFile) *Trace {
	t.Helper()
	tr, err := Decode(r.bytes(), testNames, DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestDecodeGoroutines(t *testing.T) {
	tr := decode(t, twoWorkers())
	got := []string{}
	for _, g := range tr.Goroutines[1:] {
		got = append(got, g.Path+" "+g.Display+" "+g.Func)
	}
	want := []string{"0 main ", "0.1 work#1 ex.com/m.work", "0.2 work#2 ex.com/m.work"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestDecodeTestFunctionGivesItsName(t *testing.T) {
	r := newRunFile()
	r.goroutine(100, 0, 0, 0, 0)
	r.goroutine(101, 1, 1, entTest, 0)
	r.event(2, OpStart, 0, 0, nil, 0)
	r.event(2, OpLock, addrMu, r.stack(pcLock, pcGet, pcTest, pcGoexit), nil, 0)
	if g := decode(t, r).Goroutines[2]; g.Display != "work" || g.Func != "testing.tRunner" {
		t.Errorf("goroutine of a test: %+v", g)
	}
}

// A goroutine that a dependency starts to run a function of the user's is known by that
// function; one that runs several is the dependency's.
func TestDecodeNamesOfDependencyGoroutines(t *testing.T) {
	const entDep, pcDep, pcOne, pcTwo = 0x7001, 0x7101, 0x7201, 0x7301
	names := testNames
	dep := Frame{Func: "x.com/eg.(*Group).Go.func1", File: "/mod/x.com/eg@v1.2.0/g.go", Line: 9}
	names.entries = map[uint64]Frame{entDep: dep}
	names.frames = map[uint64][]Frame{pcDep: {dep}, pcOne: {{Func: "ex.com/m.gather.func1", File: "/m/a.go", Line: 3}},
		pcTwo: {{Func: "ex.com/m.other", File: "/m/a.go", Line: 30}}}
	for _, tt := range []struct {
		pcs  []uint64
		want string
	}{
		{[]uint64{pcOne, pcOne}, "gather.func1"},
		{[]uint64{pcOne, pcTwo}, "Group.Go.func1"},
		{nil, "Group.Go.func1"},
	} {
		r := newRunFile()
		r.goroutine(100, 0, 0, 0, 0)
		r.goroutine(101, 1, 1, entDep, 0)
		r.event(2, OpStart, 0, 0, nil, 0)
		r.event(2, OpLock, addrMu, r.stack(pcDep), nil, 0)
		for _, pc := range tt.pcs {
			r.event(2, OpRead, addrN, r.stack(pc, pcDep), nil, 0)
		}
		tr, err := Decode(r.bytes(), names, DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := tr.Goroutines[2].Display; got != tt.want {
			t.Errorf("%#x: %s, want %s", tt.pcs, got, tt.want)
		}
	}
}

// Two timers of one goroutine start goroutines of different paths.
func TestDecodeTimerPaths(t *testing.T) {
	r := newRunFile()
	r.goroutine(100, 0, 0, 0, 0)
	r.startedByTimer(101, 1, 2, timerIndex+1, 0, 0)
	r.startedByTimer(102, 1, 10, timerIndex+1, 0, 0)
	r.startedByTimer(103, 1, 2, timerIndex+2, 0, 0)
	r.goroutine(104, 2, 1, 0, 0)
	var got []string
	for _, g := range decode(t, r).Goroutines[1:] {
		got = append(got, g.Path)
	}
	if d := cmp.Diff([]string{"0", "0.t2.1", "0.t10.1", "0.t2.2", "0.t2.1.1"}, got); d != "" {
		t.Error(d)
	}
	if comparePaths("0.t2.1", "0.t10.1") >= 0 || comparePaths("0.t2.1", "0.t2.2") >= 0 || comparePaths("0.2", "0.10") >= 0 {
		t.Error("paths are not in the order of creation")
	}
}

// Of a run that recorded all, what nobody shares can be left out: the trace is
// that of a run that did not record it.
func TestDecodeSharedOnly(t *testing.T) {
	build := func(all bool) *runFile {
		r := newRunFile()
		r.goroutine(100, 0, 0, 0, 0)
		r.goroutine(101, 1, 1, 0, 0)
		access := func(g uint32, op Op, addr, size uint64, shared bool) {
			if all || shared {
				r.event(g, op, addr, r.stack(pcGet, pcMain), nil, size)
			}
		}
		access(1, OpWrite, addrVar+64, 8, false)
		access(1, OpWrite, addrVar+4, 4, true)
		access(1, OpWriteRange, addrVar-16, 17, true)
		access(1, OpWriteRange, addrVar-16, 16, false)
		r.event(1, OpLock, addrMu, 0, nil, 0)
		access(2, OpReadRange, addrVar+8, 64, false)
		access(2, OpRead, addrVar, 1, true)
		r.add(rt.WSharedOff, uint64(addrVar&^7))
		return r
	}
	want := decode(t, build(false))
	got, err := Decode(build(true).bytes(), testNames, DecodeOptions{Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want.Events, got.Events); d != "" {
		t.Error(d)
	}
	if n := len(decode(t, build(true)).Events); n != len(want.Events)+3 {
		t.Errorf("%d events without the option, want %d", n, len(want.Events)+3)
	}
}

func TestDecodeStacks(t *testing.T) {
	tr := decode(t, twoWorkers())
	var lock Event
	for _, e := range tr.Events {
		if e.Op == OpLock {
			lock = e
			break
		}
	}
	want := testNames.frames[pcGet]
	if d := cmp.Diff(want, tr.Stacks[lock.Stack]); d != "" {
		t.Errorf("stack of a lock: %s", d)
	}
	if want := testSite(pcGet); tr.Sites[lock.Stack] != want {
		t.Errorf("site of a lock's stack = %s, want %s", tr.Sites[lock.Stack], want)
	}
	if f, ok := tr.UserFrame(lock.Stack); !ok || f != want[0] {
		t.Errorf("UserFrame = %v, %v", f, ok)
	}
}

func TestDecodeKeepsStacksOfStdOnly(t *testing.T) {
	r := newRunFile()
	r.goroutine(100, 0, 0, 0, 0)
	r.event(1, OpLock, addrMu, r.stack(pcLock, pcTest), nil, 0)
	r.event(1, OpLock, addrMu, r.stack(pcHook, pcLock, pcMain), nil, 0)
	tr := decode(t, r)
	if fs := tr.Stacks[tr.Events[0].Stack]; len(fs) != 1 || fs[0].Func != "testing.tRunner" {
		t.Errorf("std above machinery: %v", fs)
	}
	if fs := tr.Stacks[tr.Events[1].Stack]; len(fs) == 0 || fs[0].Func != "sync.(*Mutex).Lock" {
		t.Errorf("machinery only: %v", fs)
	}
	if _, ok := tr.UserFrame(tr.Events[0].Stack); ok {
		t.Error("a stack of std has a user frame")
	}
}

func TestDecodeIgnoresOldAddressOfRuntimeBlock(t *testing.T) {
	r := newRunFile()
	r.goroutine(100, 0, 0, 0, 0)
	r.event(1, OpBlock, addrVar, 0, 3, 0)
	r.event(1, OpBlock, addrVar, 0, 3, uint64(OpLock))
	tr := decode(t, r)
	if tr.Events[0].Obj != 0 || tr.Events[1].Obj == 0 {
		t.Errorf("objects %d and %d", tr.Events[0].Obj, tr.Events[1].Obj)
	}
}

func TestDecodeValues(t *testing.T) {
	tr := decode(t, twoWorkers())
	type val struct {
		op  Op
		val string
	}
	got := []val{}
	for _, e := range tr.Events {
		if e.Op == OpWrite || e.Op == OpRead {
			got = append(got, val{e.Op, tr.FormatValue(e)})
		}
	}
	// The first write left what the second found, the second what the read
	// found, cut to int32.
	want := []val{{OpWrite, "1"}, {OpWrite, "7"}, {OpRead, "7"}, {OpRead, "-1"}}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(val{})); d != "" {
		t.Error(d)
	}
}

func TestDecodeValueAfterRangeWriteIsUnknown(t *testing.T) {
	r := newRunFile()
	st := r.stack(pcGet)
	r.goroutine(100, 0, 0, 0, 0)
	r.alloc(addrMu, 16, testText+0x99, st, 1)
	r.event(1, OpWrite, addrN, st, 0, 1)
	r.event(1, OpWriteRange, addrMu, st, nil, 16)
	r.event(1, OpRead, addrN, st, 3, 1)
	if e := decode(t, r).Events[0]; e.HasValue {
		t.Errorf("the write is said to have left %d", e.Value)
	}
}

func TestDecodeOutcome(t *testing.T) {
	tr := decode(t, twoWorkers())
	o := tr.Outcome
	if o.Kind != Deadlocked || len(o.Blocked) != 1 {
		t.Fatalf("outcome %+v", o)
	}
	b := o.Blocked[0]
	if b.Holder != 3 || b.Reason != "reason 5" || !b.Leaked || tr.Object(b.Obj).Var != "cell.mu" {
		t.Errorf("blocked %+v", b)
	}
	if len(tr.Schedule.Segments) != 1 || tr.Schedule.Segments[0] != (Segment{G: 100, Until: 3}) {
		t.Errorf("schedule %+v", tr.Schedule)
	}
}

func TestDecodeRaceFindsItsEvents(t *testing.T) {
	tr := decode(t, twoWorkers())
	if len(tr.Races) != 1 {
		t.Fatalf("races %+v", tr.Races)
	}
	r := tr.Races[0]
	if r.First.Seq != 4 || r.Second.Seq != 7 || tr.Object(r.Obj).Var != "cell.n" || r.First.Stack != tr.Events[4].Stack {
		t.Errorf("race %+v", r)
	}
}

func TestDecodeOutcomeKinds(t *testing.T) {
	tests := []struct {
		status, exit, fails uint64
		text                string
		want                OutcomeKind
		message             string
	}{
		{rt.StatusRunning, 0, 0, "", InternalErr, "the run ended without a result"},
		{rt.StatusMainReturned, 0, 0, "", Passed, ""},
		{rt.StatusExit, 1, 1, "", TestFailed, "test failed"},
		{rt.StatusExit, 3, 0, "", ExitCode, "exit status 3"},
		{rt.StatusPanic, 0, 0, "panic: oversold\ngoroutine 1", Panicked, "panic: oversold"},
		{rt.StatusFatal, 0, 0, "", FatalError, "fatal error"},
		{rt.StatusDeadlock, 0, 0, "", Deadlocked, "all goroutines are asleep"},
		{rt.StatusServes, 0, 0, "", Passed, ""},
		{rt.StatusLivelock, 0, 0, "", Livelock, "a goroutine loops for ever"},
	}
	for _, tt := range tests {
		r := newRunFile()
		r.words[rt.WStatus], r.words[rt.WExit], r.words[rt.WFailCount] = tt.status, tt.exit, tt.fails
		r.sections[rt.WTextOff] = []byte(tt.text)
		if o := decode(t, r).Outcome; o.Kind != tt.want || o.Message != tt.message {
			t.Errorf("status %d: %s %q, want %s %q", tt.status, o.Kind, o.Message, tt.want, tt.message)
		}
	}
}

// A torn file gives what it holds.
func TestDecodeTorn(t *testing.T) {
	whole := twoWorkers().bytes()
	full := decode(t, twoWorkers())
	for n := rt.HeaderSize; n < len(whole); n += 40 {
		tr, err := Decode(whole[:n], testNames, DecodeOptions{})
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		if len(tr.Events) > len(full.Events) {
			t.Fatalf("%d bytes: %d events", n, len(tr.Events))
		}
	}
	for _, n := range []int{0, 7, rt.HeaderSize - 1} {
		if _, err := Decode(whole[:n], nil, DecodeOptions{}); !errors.Is(err, ErrNotRun) {
			t.Errorf("%d bytes: %v, want ErrNotRun", n, err)
		}
	}
}

func TestDecodeHalfWrittenEvent(t *testing.T) {
	r := twoWorkers()
	want := len(decode(t, r).Events)
	r.event(2, OpNone, 0, 0, nil, 0)
	if got := len(decode(t, r).Events); got != want {
		t.Errorf("%d events, want %d", got, want)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(twoWorkers().bytes())
	f.Add(newRunFile().bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, sym := range []Symbolizer{nil, testNames} {
			tr, err := Decode(data, sym, DecodeOptions{})
			if err != nil {
				continue
			}
			if err := checkShape(tr); err != nil {
				t.Fatal(err)
			}
			_ = Check(tr)
			tr.Switches()
			tr.DataFlow()
		}
	})
}
