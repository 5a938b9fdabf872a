package record

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/hocket-dev/hocket/engine/rt"
)

// Outcome is how a recorded run ended.
type Outcome string

const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"  // by its exit code, a panic or a fatal error
	Killed  Outcome = "killed"  // by a signal
	Timeout Outcome = "timeout" // by Hocket, since it took too long
	Unknown Outcome = "unknown" // nobody waited for it
)

// Run is one recorded run.
type Run struct {
	ID       string        `json:"id"`
	Package  string        `json:"package"` // import path, "" if not known
	Entry    string        `json:"entry"`   // "main", "TestX"; "" is a whole test binary or a built program
	Program  string        `json:"program"` // content of the executable, "" if not known
	Go       string        `json:"go"`      // "go1.26.8"
	OS       string        `json:"os"`
	Arch     string        `json:"arch"`
	Seed     uint64        `json:"seed"`            // of random numbers, map order, select's draws
	Procs    int           `json:"procs,omitempty"` // GOMAXPROCS at the exit, 0 if it had none
	Args     []string      `json:"args,omitempty"`
	Started  time.Time     `json:"started"`
	Took     time.Duration `json:"took_ns"` // 0 if not known
	Outcome  Outcome       `json:"outcome"`
	Failure  string        `json:"failure,omitempty"` // one line
	Torn     string        `json:"torn,omitempty"`    // why the log ends before the run did
	LogBytes int64         `json:"log_bytes"`         // that the program wrote
	Ended    bool          `json:"ended"`             // it left by an exit
	Exit     int           `json:"exit"`              // then its code
	Digest   string        `json:"order"`             // Order()

	// Threads are the goroutines that did an operation, sorted as names are; main is
	// the first. nil where only the head of a file was read.
	Threads []Thread `json:"-"`
}

// Thread is what a goroutine did.
type Thread struct {
	// Name is "0" for main, "0.2" for its second child; "0.t3.1" is started by main's
	// third timer, the first time that it fired. It does not depend on the schedule.
	Name    string
	Func    string // function that it began in, "" if not known
	Parent  int    // index in Threads, -1: main
	Ops     uint64 // operations that it did
	Records []Record

	nth   uint64
	fired uint32
	entry uint32 // of Func, relative to runtime.text
}

// Record is an order or an outcome: a goroutine has some only for operations whose
// object another goroutine had used last, or whose outcome that does not decide.
type Record struct {
	At     uint64 // number of the operation in its goroutine, from 0
	Kind   Kind
	From   int    // index in Threads of the goroutine that came before; -1: this is an outcome
	FromOp uint64 // number of the operation there, which was done before
	Value  uint32 // of an outcome
}

// Failed reports whether the record says that the operation, and Value of the same
// kind after it, were tried in vain.
func (r Record) Failed() (more uint32, ok bool) {
	return r.Value &^ rt.FailBit, r.From < 0 && r.Value&rt.FailBit != 0
}

// Kind is what an operation is.
type Kind uint8

var kindNames = map[Kind]string{
	rt.KindLock: "lock", rt.KindRLock: "read lock", rt.KindSend: "send", rt.KindRecv: "receive", rt.KindClose: "close",
	rt.KindSelect: "select", rt.KindLen: "len", rt.KindAtomic: "atomic operation", rt.KindOnce: "Once.Do",
	rt.KindGroup: "WaitGroup operation", rt.KindCond: "Cond operation", rt.KindMap: "sync.Map operation",
	rt.KindPool: "Pool operation", rt.KindValue: "atomic.Value operation", rt.KindTimer: "timer's Stop or Reset",
	rt.KindExit: "exit", rt.KindFile: "lock of a file", rt.KindClock: "reading of the clock", rt.KindWoke: "end of a WaitGroup's Wait",
}

func (k Kind) String() string {
	if s := kindNames[k]; s != "" {
		return s
	}
	return fmt.Sprintf("operation of kind %d", uint8(k))
}

// Words are the thread's records as small integers, three for each: the distance
// from the last record's operation with the kind in the low bits; From + 1; and
// FromOp less the last one from there (zigzag), or Value.
func (t *Thread) Words() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		at, last := uint64(0), map[int]uint64{}
		for _, r := range t.Records {
			third := uint64(r.Value)
			if r.From >= 0 {
				d := int64(r.FromOp - last[r.From])
				last[r.From] = r.FromOp
				third = uint64(d)<<1 ^ uint64(d>>63)
			}
			if !yield((r.At-at)<<rt.KindBits|uint64(r.Kind)) || !yield(uint64(r.From+1)) || !yield(third) {
				return
			}
			at = r.At
		}
	}
}

// FromWords is the inverse of Words.
func FromWords(words iter.Seq[uint64]) ([]Record, error) {
	var out []Record
	var w [3]uint64
	i, at, last := 0, uint64(0), map[int]uint64{}
	for v := range words {
		w[i] = v
		if i++; i < 3 {
			continue
		}
		i = 0
		at += w[0] >> rt.KindBits
		r := Record{At: at, Kind: Kind(w[0] & (1<<rt.KindBits - 1)), From: int(w[1]) - 1}
		if w[1] > 1<<31 {
			return nil, fmt.Errorf("goroutine number %d is out of range", w[1])
		}
		if r.From >= 0 {
			last[r.From] += uint64(int64(w[2]>>1) ^ -int64(w[2]&1))
			r.FromOp = last[r.From]
		} else {
			r.Value = uint32(w[2])
		}
		out = append(out, r)
	}
	if i != 0 {
		return nil, fmt.Errorf("%d words are left over", i)
	}
	return out, nil
}

// Order is a digest of what all goroutines did: two runs of one program with the
// same digest did the same operations in the same order. What the clock showed is
// left out: no two runs have that in common.
func (r *Run) Order() string {
	h := sha256.New()
	var buf []byte
	for i := range r.Threads {
		t := &r.Threads[i]
		buf = append(buf[:0], t.Name...)
		buf = binary.AppendUvarint(append(buf, 0), t.Ops)
		timeless := Thread{Records: slices.DeleteFunc(slices.Clone(t.Records), func(r Record) bool { return r.Kind == rt.KindClock })}
		for w := range timeless.Words() {
			buf = binary.AppendUvarint(buf, w)
		}
		h.Write(buf)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Ops is how many operations all goroutines did.
func (r *Run) Ops() (n uint64) {
	for i := range r.Threads {
		n += r.Threads[i].Ops
	}
	return n
}

// Records is how many of them left a record.
func (r *Run) Records() (n int) {
	for i := range r.Threads {
		n += len(r.Threads[i].Records)
	}
	return n
}

// Name fills in Func of the threads: name knows functions by where they begin,
// relative to runtime.text.
func (r *Run) Name(name func(entry uint32) string) {
	for i := range r.Threads {
		r.Threads[i].Func = name(r.Threads[i].entry)
	}
}

// Vague reports whether nobody saw what the run printed: Failure says only how it ended.
func (r *Run) Vague() bool {
	return r.Outcome == Failed && (r.Failure == noExit || r.Failure == fmt.Sprintf("exit status %d", r.Exit))
}

const noExit = "ended without an exit: by a panic, a fatal error or a signal"

// Judge fills in the outcome from what the log says, for a run that nobody waited for.
func (r *Run) Judge() {
	switch {
	case !r.Ended:
		r.Outcome, r.Failure = Failed, noExit
	case r.Exit != 0:
		r.Outcome, r.Failure = Failed, fmt.Sprintf("exit status %d", r.Exit)
	default:
		r.Outcome = Passed
	}
}
