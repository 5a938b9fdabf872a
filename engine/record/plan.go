package record

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/hocket-dev/hocket/engine/rt"
)

// MostPlaces is how many operations a run may have whose places are wanted.
const MostPlaces = 1 << 20

// PlanOptions say how a run is to be followed.
type PlanOptions struct {
	Patience time.Duration // how long a run waits while nothing moves
	Places   bool          // the places of all operations are wanted
}

// WritePlan writes what a recording build is to follow.
func (r *Run) WritePlan(path string, opt PlanOptions) error {
	order, at := r.planOrder()
	n := len(order)
	threadOff := rt.PlanHeader
	doneOff := threadOff + n*rt.PlanThread
	recOff := doneOff + n*8
	data := make([]byte, recOff, recOff+r.Records()*rt.PlanRecord)
	le := binary.LittleEndian
	next, active, ops := 0, 0, uint64(0)
	for i, ti := range order {
		t := &r.Threads[ti]
		if t.Ops > 0 {
			active++
		}
		if t.Ops >= 1<<32 {
			return fmt.Errorf("goroutine %s did %d operations: a run is followed up to %d", t.Name, t.Ops, uint64(1)<<32)
		}
		d := data[threadOff+i*rt.PlanThread:]
		if t.Parent >= 0 {
			le.PutUint32(d, uint32(at[t.Parent]+1))
		}
		le.PutUint32(d[4:], t.fired)
		le.PutUint64(d[8:], t.nth)
		le.PutUint32(d[16:], uint32(t.Ops))
		le.PutUint32(d[20:], uint32(next))
		le.PutUint32(d[24:], uint32(len(t.Records)))
		le.PutUint32(d[28:], uint32(ops))
		next += len(t.Records)
		ops += t.Ops
	}
	for _, ti := range order {
		for _, rec := range r.Threads[ti].Records {
			data = le.AppendUint32(data, uint32(rec.At))
			data = le.AppendUint32(data, uint32(rec.Kind))
			if rec.From >= 0 {
				data = le.AppendUint32(data, uint32(at[rec.From]+1))
				data = le.AppendUint32(data, uint32(rec.FromOp))
			} else {
				data = le.AppendUint32(data, 0)
				data = le.AppendUint32(data, rec.Value)
			}
		}
	}
	places := 0
	if opt.Places {
		if ops > MostPlaces {
			return fmt.Errorf("the run did %d operations: the places of at most %d are noted", ops, MostPlaces)
		}
		places = (len(data) + 63) &^ 63
		data = append(data, make([]byte, places-len(data)+int(ops)*rt.PlaceSize)...)
	}
	for i, v := range map[int]uint64{
		rt.PMagic: rt.PlanMagic, rt.PVersion: rt.RecVersion, rt.PSeed: r.Seed, rt.PThreads: uint64(n), rt.PActive: uint64(active),
		rt.PThreadOff: uint64(threadOff), rt.PDoneOff: uint64(doneOff), rt.PRecordOff: uint64(recOff),
		rt.PSize: uint64(len(data)), rt.PCode: r.code(), rt.PPatience: uint64(opt.Patience), rt.PPlaceOff: uint64(places),
		rt.PBegan: uint64(r.Started.UnixNano()),
	} {
		le.PutUint64(data[i*8:], v)
	}
	return os.WriteFile(path, data, 0o666)
}

// code is what programs are told apart by, 0 if it is not known.
func (r *Run) code() uint64 {
	c, _ := strconv.ParseUint(r.Program, 16, 64)
	return c
}

// ErrOtherProgram means that a program is not the one that was recorded.
var ErrOtherProgram = errors.New("the program is not the one that was recorded: its code has changed since, or it was built with other flags, another Go version or another Hocket")

// planOrder lists the threads as a plan has them: parents before children, and
// sorted by their parent's place. at is its inverse.
func (r *Run) planOrder() (order, at []int) {
	kids := map[int][]int{}
	for i := range r.Threads {
		p := r.Threads[i].Parent
		kids[p] = append(kids[p], i)
	}
	for _, k := range kids {
		slices.SortFunc(k, func(a, b int) int {
			x, y := &r.Threads[a], &r.Threads[b]
			return cmp.Or(cmp.Compare(x.nth, y.nth), cmp.Compare(x.fired, y.fired))
		})
	}
	order = append(order, kids[-1]...)
	for i := 0; i < len(order); i++ {
		order = append(order, kids[order[i]]...)
	}
	at = make([]int, len(r.Threads))
	for i, t := range order {
		at[t] = i
	}
	return order, at
}

// Place is where an operation was done, as a run that followed has noted it.
type Place struct {
	Kind  Kind
	Case  int      // of a select, -1: none
	Stack []uint64 // program counters relative to runtime.text, innermost first
}

// ReadPlaces returns the places of all threads' operations, by the index in Threads.
func (r *Run) ReadPlaces(path string) ([][]Place, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	le := binary.LittleEndian
	at := int(le.Uint64(data[rt.PPlaceOff*8:]))
	out := make([][]Place, len(r.Threads))
	order, _ := r.planOrder()
	for _, t := range order {
		for range r.Threads[t].Ops {
			w := le.Uint32(data[at:])
			p := Place{Kind: Kind(w & 0xff), Case: int(w>>8) - 1}
			for i := 4; i < rt.PlaceSize; i += 4 {
				if pc := le.Uint32(data[at+i:]); pc != 0 {
					p.Stack = append(p.Stack, uint64(pc))
				}
			}
			out[t] = append(out[t], p)
			at += rt.PlaceSize
		}
	}
	return out, nil
}

// Followed is how far a run followed a plan.
type Followed struct {
	// Complete: each goroutine did all that the log has of it.
	Complete bool
	Done, Of uint64 // operations
	// Lost says where the run was found not to do what the log has; nil if nowhere.
	Lost *Lost
}

// Lost is a place at which a run left its log.
type Lost struct {
	Thread string // name of the goroutine, "" if the log does not have it
	Op     uint64 // number of its operation
	Want   Kind   // that the log has
	Have   Kind   // that the program came with
	From   string // goroutine that it waited for, "" if it was of another kind
	FromOp uint64
	Stack  []uint64 // program counters, relative to runtime.text
}

// ReadFollowed reads what a process left in its plan.
func (r *Run) ReadFollowed(path string) (*Followed, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(data[i*8:]) }
	order, _ := r.planOrder()
	name := func(i uint64) string {
		if i == 0 || i > uint64(len(order)) {
			return ""
		}
		return r.Threads[order[i-1]].Name
	}
	f := &Followed{}
	for i, t := range order {
		f.Of += r.Threads[t].Ops
		f.Done += min(binary.LittleEndian.Uint64(data[word(rt.PDoneOff)+uint64(i)*8:]), r.Threads[t].Ops)
	}
	f.Complete = f.Done == f.Of
	switch s := word(rt.PStatus); s {
	case rt.FollowOther:
		return nil, ErrOtherProgram
	case rt.FollowNone:
		return nil, fmt.Errorf("the program does not follow logs: it is not built by this Hocket, or did not start")
	case rt.FollowKind, rt.FollowStuck:
		f.Lost = &Lost{Thread: name(word(rt.PWho)), Op: word(rt.PAt), Want: Kind(word(rt.PWant)), Have: Kind(word(rt.PHave))}
		if s == rt.FollowStuck {
			f.Lost.From, f.Lost.FromOp = name(word(rt.PFrom)), word(rt.PFromOp)
		}
		for i := range rt.StackMax {
			if pc := word(rt.PStack + i); pc != 0 {
				f.Lost.Stack = append(f.Lost.Stack, pc)
			}
		}
	}
	return f, nil
}
