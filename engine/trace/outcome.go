package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/rt"
)

// outcome says how the run ended as far as the run file alone shows: a process
// that ended without a result (killed, out of control) has InternalErr.
func (d *decoder) outcome() {
	v, o := d.v, &d.t.Outcome
	d.blocked()
	o.Goroutine = d.gid(uint32(v.word(rt.WFailGID)))
	o.Stack = d.stackIDs[rawStack(v.word(rt.WFailStack))]
	text := d.message()
	switch v.word(rt.WStatus) {
	case rt.StatusPanic:
		o.Kind, o.Message = Panicked, orElse(text, "panic")
	case rt.StatusFatal:
		o.Kind, o.Message = FatalError, orElse(text, "fatal error")
	case rt.StatusDeadlock:
		o.Kind, o.Message = Deadlocked, orElse(text, "all goroutines are asleep")
	case rt.StatusServes:
		d.serves()
	case rt.StatusStepMax:
		d.limited("step limit reached")
	case rt.StatusVirtualMax:
		d.limited("virtual time limit reached")
	case rt.StatusMemMax:
		o.Kind, o.Message = StepLimit, "memory limit of a run reached"
	case rt.StatusLivelock:
		d.loops()
	case rt.StatusMainReturned, rt.StatusExit:
		o.ExitCode = int(int32(v.word(rt.WExit)))
		d.ended(text)
	default:
		o.Kind, o.Message = InternalErr, "the run ended without a result"
	}
	switch o.Kind {
	case Deadlocked, Leaked, Raced, StepLimit: // where a check of the test failed before is another matter
		o.Goroutine, o.Stack = 0, 0
	}
}

// serves judges a run in which nothing goes on until somebody else calls. Nobody
// calls a test, which comes to no end. A program may serve for ever; but what
// waits for ever in it, or for locks that those hold who wait for others of
// them, does not go on when somebody calls.
func (d *decoder) serves() {
	o := &d.t.Outcome
	if d.isTest() {
		o.Kind, o.Message = Deadlocked, "all goroutines are asleep"
		return
	}
	if locked := d.lockedForEver(); len(locked) > 0 {
		o.Kind, o.Message, o.Blocked = Deadlocked, fmt.Sprintf("%d goroutines wait for each other's locks", len(locked)), locked
		return
	}
	o.Blocked = slices.DeleteFunc(o.Blocked, func(b Blocked) bool { return b.G == 1 && b.Reason == "select (no cases)" })
	d.ended("")
}

// loops judges a run in which everybody who can run goes round in a loop: where
// the first of them does is the place of the failure.
func (d *decoder) loops() {
	o := &d.t.Outcome
	o.Kind = Livelock
	o.Blocked = slices.DeleteFunc(o.Blocked, func(b Blocked) bool { return b.Reason != Looping })
	if o.Message = "a goroutine loops for ever"; len(o.Blocked) > 1 {
		o.Message = fmt.Sprintf("%d goroutines loop for ever", len(o.Blocked))
	}
	if len(o.Blocked) > 0 {
		o.Goroutine, o.Stack = o.Blocked[0].G, o.Blocked[0].Stack
	}
}

// isTest says whether the main goroutine waits for a test.
func (d *decoder) isTest() bool {
	for _, b := range d.t.Outcome.Blocked {
		if b.G == 1 {
			return slices.ContainsFunc(d.t.Stack(b.Stack), func(f Frame) bool { return f.Func == "testing.(*M).Run" })
		}
	}
	return false
}

// lockedForEver are the goroutines that wait for a lock whose holder is one of
// them.
func (d *decoder) lockedForEver() []Blocked {
	locked := slices.Clone(d.t.Outcome.Blocked)
	for {
		n := len(locked)
		in := map[GID]bool{}
		for _, b := range locked {
			in[b.G] = true
		}
		locked = slices.DeleteFunc(locked, func(b Blocked) bool { return b.Holder == 0 || !isLockOp(b.Op) || !in[b.Holder] })
		if len(locked) == n {
			return locked
		}
	}
}

// limited judges a run cut off at a limit. If nothing that still runs can reach
// what the first goroutine waits for, the program can never end: a deadlock,
// hidden by goroutines that only loop (tickers). In a program others that wait for
// ever are leaked, whatever it does later; a test may still set them free when it
// ends, by what it keeps for that. Otherwise there is no verdict.
func (d *decoder) limited(limit string) {
	o := &d.t.Outcome
	forEver := slices.DeleteFunc(slices.Clone(o.Blocked), func(b Blocked) bool { return !b.Leaked })
	if !slices.ContainsFunc(forEver, func(b Blocked) bool { return b.G == 1 }) {
		forEver = slices.DeleteFunc(forEver, Blocked.onPurpose)
		if o.Kind, o.Message = StepLimit, limit; d.opt.Program && len(forEver) > 0 {
			o.Kind, o.Message, o.Blocked, o.Cut = Leaked, blockedForEver(len(forEver))+" while the program goes on", forEver, true
		}
		return
	}
	o.Kind, o.Message = Deadlocked, "the main goroutine waits for ever"
	o.Blocked = forEver
}

// onPurpose is true of what waits for nothing at all: no order of the program decides
// that, and many park a goroutine in this way.
func (b Blocked) onPurpose() bool {
	return b.Reason == "select (no cases)" || strings.HasSuffix(b.Reason, "(nil chan)")
}

func blockedForEver(n int) string {
	if n == 1 {
		return "1 goroutine is blocked for ever"
	}
	return fmt.Sprintf("%d goroutines are blocked for ever", n)
}

// ended judges a program that came to its own end.
func (d *decoder) ended(text string) {
	o := &d.t.Outcome
	leaked := 0
	for _, b := range o.Blocked {
		if b.Leaked {
			leaked++
		}
	}
	switch {
	case d.v.word(rt.WFailCount) > 0:
		o.Kind, o.Message = TestFailed, orElse(text, "test failed")
	case o.ExitCode != 0:
		o.Kind, o.Message = ExitCode, orElse(text, fmt.Sprintf("exit status %d", o.ExitCode))
	case leaked > 0:
		o.Kind, o.Message = Leaked, blockedForEver(leaked)
	case len(d.t.Races) > 0:
		o.Kind, o.Message = Raced, "data race"
	default:
		o.Kind = Passed
	}
}

// message is the first line that the program left in the text section.
func (d *decoder) message() string {
	text := strings.TrimSpace(string(d.v.section(rt.WTextOff, 1)))
	text = strings.ToValidUTF8(text, "?")
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimRight(strings.ReplaceAll(line, "\x00", ""), "\r")
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func (d *decoder) blocked() {
	b := d.v.section(rt.WBlockedOff, rt.BlockedSize)
	if len(b) == 0 {
		return
	}
	held := d.t.holders()
	var nums []uint64
	for ; len(b) > 0; b = b[rt.BlockedSize:] {
		e := Blocked{
			G:      d.gid(u32(b, 0)),
			Op:     Op(b[4]),
			Leaked: b[5] != 0,
			Obj:    d.objectAt(u64(b, 8), len(d.t.Events)),
			Stack:  d.stackIDs[rawStack(u32(b, 16))],
		}
		if e.Op >= NumOps {
			e.Op = OpNone
		}
		if e.Holder = held[e.Obj].other(e.G); e.Holder == 0 {
			e.Holder = d.gid(u32(b, 20))
		}
		nums = append(nums, uint64(b[6])|uint64(b[7])<<8)
		d.t.Outcome.Blocked = append(d.t.Outcome.Blocked, e)
	}
	reasons, err := d.sym.Reasons(nums)
	d.fail("name wait reasons", err)
	for i, r := range reasons {
		switch nums[i] {
		case rt.ReasonLoops >> 8:
			r = Looping
		case rt.ReasonRunnable >> 8:
			r = Runnable
		}
		d.t.Outcome.Blocked[i].Reason = r
	}
	d.standing()
}

// standing tells those that only stood somewhere from those that can never go on:
// who is blocked while another one panics is no part of the failure.
func (d *decoder) standing() {
	o := &d.t.Outcome
	if d.opt.Stands != nil {
		*d.opt.Stands = slices.Clone(o.Blocked)
	}
	switch d.v.word(rt.WStatus) {
	case rt.StatusPanic, rt.StatusFatal:
		o.Blocked = nil
	default:
		o.Blocked = slices.DeleteFunc(o.Blocked, func(b Blocked) bool { return b.Reason == Runnable })
	}
}

// objectAt returns the object that has an address when event seq happens, 0 if
// no event is about it.
func (d *decoder) objectAt(addr uint64, seq int) ObjID {
	if addr == 0 {
		return 0
	}
	if d.byAddr == nil {
		d.byAddr = map[uint64][]ObjID{}
		for id, o := range d.t.Objects {
			d.byAddr[o.Addr] = append(d.byAddr[o.Addr], ObjID(id))
		}
	}
	best := ObjID(0)
	for _, id := range d.byAddr[addr] { // in order of appearance
		if d.t.Objects[id].Born <= seq {
			best = id
		}
	}
	return best
}

// holding is who holds a lock at some point of the trace.
type holding struct {
	writer  GID
	held    bool
	readers map[GID]int
}

// other returns a holder, a reader that is not g if possible; 0 if nobody.
func (h *holding) other(g GID) GID {
	if h == nil {
		return 0
	}
	if h.held {
		return h.writer
	}
	best := GID(0)
	for r, n := range h.readers {
		if n > 0 && (best == 0 || best == g || r != g && r < best) {
			best = r
		}
	}
	return best
}

// holders replays all lock operations and returns the final states of the
// locks.
func (t *Trace) holders() map[ObjID]*holding {
	m := map[ObjID]*holding{}
	for _, e := range t.Events {
		h := m[e.Obj]
		if h == nil {
			if !isLockOp(e.Op) {
				continue
			}
			h = &holding{readers: map[GID]int{}}
			m[e.Obj] = h
		}
		h.step(e)
	}
	return m
}

func isLockOp(op Op) bool { return op >= OpLock && op <= OpTryRLock }

func (h *holding) step(e Event) {
	switch e.Op {
	case OpTryLock:
		if e.Value != 1 {
			return
		}
		fallthrough
	case OpLock:
		h.writer, h.held = e.G, true
	case OpUnlock:
		h.writer, h.held = 0, false
	case OpTryRLock:
		if e.Value != 1 {
			return
		}
		fallthrough
	case OpRLock:
		h.readers[e.G]++
	case OpRUnlock:
		h.releaseReader(e.G)
	}
}

// releaseReader removes one of g's read locks, or another goroutine's: read
// locks have no owner.
func (h *holding) releaseReader(g GID) bool {
	if h.readers[g] == 0 {
		least := GID(0)
		for r, n := range h.readers {
			if n > 0 && (least == 0 || r < least) {
				least = r
			}
		}
		g = least
	}
	if h.readers[g] == 0 {
		return false
	}
	h.readers[g]--
	if h.readers[g] == 0 {
		delete(h.readers, g)
	}
	return true
}
