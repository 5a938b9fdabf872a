package record

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/rt"
)

// ErrNotALog means that a file is none that a recording build wrote.
var ErrNotALog = errors.New("not a log of a recording build")

// ErrEmpty means that a log has nothing that could be read.
var ErrEmpty = errors.New("nothing is recorded in it")

// chunked is a goroutine as the log has it.
type chunked struct {
	id, parent, fired, fn, cut uint32
	nth, ops                   uint64
	records                    []written
	seenID, seenOp             uint32 // the last order
	short                      bool   // records may be missing behind the last one
}

// written is a record as the log has it: id 0 where value is an outcome.
type written struct{ distance, kind, id, value uint32 }

// ReadLog reads what a recording build has written, however its process ended. What
// is not known from the log (Package, Entry, Program, Outcome) is left empty.
func ReadLog(path string) (*Run, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, rt.LogHeader)
	if _, err := io.ReadFull(f, head); err != nil {
		return nil, fmt.Errorf("%s: %w", path, ErrNotALog)
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(head[i*8:]) }
	switch {
	case word(rt.LMagic) != rt.LogMagic:
		return nil, fmt.Errorf("%s: %w", path, ErrNotALog)
	case word(rt.LVersion) != rt.RecVersion:
		return nil, fmt.Errorf("%s: the log has version %d of its format; this Hocket reads version %d", path, word(rt.LVersion), rt.RecVersion)
	}
	size := int64(min(word(rt.LNext), rt.LogSize))
	if info, err := f.Stat(); err != nil {
		return nil, err
	} else if info.Size() < size {
		size = info.Size()
	}
	r := &Run{
		Seed: word(rt.LSeed), Procs: int(word(rt.LProcs)), Go: text(head[rt.LogGo:], rt.LogGoMax),
		Started: time.Unix(0, int64(word(rt.LBegan))), Outcome: Unknown, LogBytes: size,
	}
	args := strings.Split(string(head[rt.LogArgs:rt.LogArgs+rt.LogArgsMax]), "\x00")
	if n := min(word(rt.LArgs), uint64(len(args))); n > 0 {
		r.Args = args[1:n] // the program's own name is this machine's
	}
	if c := word(rt.LCode); c != 0 {
		r.Program = fmt.Sprintf("%016x", c)
	}
	r.OS, r.Arch = "linux", runtime.GOARCH // recorders run there only; the log is this machine's
	r.Package = strings.TrimSuffix(text(head[rt.LogPath:], rt.LogPathMax), ".test")
	r.Ended, r.Exit = word(rt.LFlags)&rt.LogEnded != 0, int(int32(word(rt.LExit)))
	if e := word(rt.LEnded); e != 0 {
		r.Took = time.Duration(e - word(rt.LBegan))
	}
	if word(rt.LFlags)&rt.LogFull != 0 {
		r.Torn = "the log is full"
	}
	data := make([]byte, max(size-rt.LogHeader, 0))
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	gs, torn := readChunks(data)
	if whole := int64(min(word(rt.LNext), rt.LogSize)); size < whole {
		torn = fmt.Sprintf("the file was cut: it has %d of %d bytes", size, whole)
	}
	if torn != "" {
		r.Torn = torn
		for _, g := range gs { // further chunks may be missing
			g.short = true
		}
	}
	if gs[rt.MainID] == nil {
		return nil, fmt.Errorf("%s: %w: %s", path, ErrEmpty, cmp.Or(r.Torn, "the program ended before its main goroutine began"))
	}
	r.Threads = threads(gs)
	trim(r)
	r.Digest = r.Order()
	return r, nil
}

func text(b []byte, most int) string {
	s, _, _ := strings.Cut(string(b[:most]), "\x00")
	return s
}

// readChunks collects goroutines' records, and says where it could not go on. A chunk
// that was taken and not begun is all 0; a record that was not finished begins with 0.
func readChunks(data []byte) (gs map[uint32]*chunked, torn string) {
	gs = map[uint32]*chunked{}
	u32 := func(p int) uint32 { return binary.LittleEndian.Uint32(data[p:]) }
	for p := 0; p+rt.ChunkUnit <= len(data); {
		size := int(u32(p) &^ 1)
		if size == 0 {
			p += rt.ChunkUnit
			continue
		}
		first, id := u32(p)&1 != 0, u32(p+rt.ChunkID)
		g := gs[id]
		if size%rt.ChunkUnit != 0 || size > 1<<20 || first && (size != rt.ChunkUnit || g != nil) || id == 0 {
			return gs, fmt.Sprintf("the log is damaged at byte %d", p+rt.LogHeader)
		}
		at := p + rt.ChunkHead
		switch {
		case first:
			g = &chunked{
				id: id, parent: u32(p + rt.ChunkParent), fired: u32(p + rt.ChunkFired), fn: u32(p + rt.ChunkFunc), cut: u32(p + rt.ChunkCut),
				nth: binary.LittleEndian.Uint64(data[p+rt.ChunkNth:]), ops: binary.LittleEndian.Uint64(data[p+rt.ChunkOps:]),
			}
			gs[id] = g
			at = p + rt.FirstHead
		case g == nil: // whose beginning is missing
			g = &chunked{}
		}
		end := min(p+size, len(data))
		g.read(data[at:end])
		p += size
	}
	return gs, ""
}

// read adds the records of a chunk.
func (g *chunked) read(data []byte) {
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(data[4*i:]) }
	for len(data) >= 4 && word(0) != 0 {
		w, n := decode(word(0)), 1
		switch form := word(0) >> rt.KindBits & (1<<rt.FormBits - 1); {
		case form == rt.FormFull && len(data) >= 12:
			w.id, w.value, n = word(1), word(2), 3
		case form == rt.FormHalf && len(data) >= 8:
			w.value, n = word(1), 2
		case form == rt.FormSame:
			w.id, w.value = g.seenID, g.seenOp+w.value
		case form != rt.FormOutcome:
			return // it was cut
		}
		if w.id != 0 {
			g.seenID, g.seenOp = w.id, w.value
		}
		g.records = append(g.records, w)
		data = data[4*n:]
	}
}

// decode is what the first word of a record says.
func decode(word uint32) written {
	w, rest := written{kind: word & (1<<rt.KindBits - 1)}, word>>rt.RestAt
	split := func(bits int) (low, high uint32) { return rest & (1<<bits - 1), rest >> bits }
	switch word >> rt.KindBits & (1<<rt.FormBits - 1) {
	case rt.FormHalf:
		w.distance, w.id = split(rt.HalfBits)
	case rt.FormOutcome:
		w.distance, w.value = split(rt.OutcomeBits)
	case rt.FormSame:
		w.distance, w.value = split(rt.SameBits)
	default:
		w.distance = rest
	}
	return w
}

// named are the goroutines' names. Those of which a parent is missing have none.
func named(gs map[uint32]*chunked) map[uint32]string {
	names := map[uint32]string{}
	var name func(g *chunked, deep int) string
	name = func(g *chunked, deep int) string {
		if n, ok := names[g.id]; ok || deep > len(gs) {
			return n
		}
		own := ownName(g.nth, g.fired)
		if g.id != rt.MainID {
			p := gs[g.parent]
			if p == nil || g.parent == g.id {
				return ""
			}
			n := name(p, deep+1)
			if n == "" {
				return ""
			}
			own = n + "." + own
		}
		names[g.id] = own
		return own
	}
	for _, g := range gs {
		name(g, 0)
	}
	return names
}

// threads names the goroutines and decodes their records. What follows a goroutine that
// is missing is cut off.
func threads(gs map[uint32]*chunked) []Thread {
	names := named(gs)
	var all []*chunked
	for id, g := range gs {
		if names[id] != "" {
			all = append(all, g)
		}
	}
	slices.SortFunc(all, func(a, b *chunked) int {
		return cmp.Or(compareNames(names[a.id], names[b.id]), cmp.Compare(a.id, b.id))
	})
	index := map[uint32]int{}
	for i, g := range all {
		index[g.id] = i
	}
	out := make([]Thread, len(all))
	for i, g := range all {
		out[i] = g.thread(index)
		out[i].Name = names[g.id]
	}
	return out
}

// thread decodes a goroutine's records.
func (g *chunked) thread(index map[uint32]int) Thread {
	t := Thread{entry: g.fn, Parent: -1, Ops: g.ops, nth: g.nth, fired: g.fired}
	if p, ok := index[g.parent]; ok && g.id != rt.MainID {
		t.Parent = p
	}
	if g.cut != 0 {
		t.Ops = min(t.Ops, uint64(g.cut-1))
	}
	at := uint64(0)
	for _, w := range g.records {
		at += uint64(w.distance)
		if w.kind == rt.KindSkip {
			continue
		}
		r := Record{At: at, Kind: Kind(w.kind), From: -1, Value: w.value}
		if w.id != 0 {
			from, ok := index[w.id]
			if !ok {
				t.Ops = min(t.Ops, at)
				break
			}
			r.From, r.FromOp, r.Value = from, uint64(w.value), 0
		}
		t.Records = append(t.Records, r)
	}
	if g.short {
		t.Ops = min(t.Ops, at+1)
	}
	return t
}

// ownName is the last part of a goroutine's name.
func ownName(nth uint64, fired uint32) string {
	if nth&rt.TimerBit != 0 {
		return fmt.Sprintf("t%d.%d", nth&^rt.TimerBit, fired)
	}
	return strconv.FormatUint(nth, 10)
}

// compareNames sorts parents before children and children by number.
func compareNames(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), func(x, y string) int {
		xt, yt := strings.HasPrefix(x, "t"), strings.HasPrefix(y, "t")
		if xt != yt {
			if yt {
				return -1
			}
			return 1
		}
		n, _ := strconv.ParseUint(strings.TrimPrefix(x, "t"), 10, 64)
		m, _ := strconv.ParseUint(strings.TrimPrefix(y, "t"), 10, 64)
		return cmp.Compare(n, m)
	})
}

// trim takes away what came after operations that the log does not have: what was
// under way when the process was killed, and all that follows from it.
func trim(r *Run) {
	for i := range r.Threads {
		t := &r.Threads[i]
		for len(t.Records) > 0 && t.Records[len(t.Records)-1].At >= t.Ops {
			t.Records = t.Records[:len(t.Records)-1]
		}
	}
	for again := true; again; {
		again = false
		for i := range r.Threads {
			t := &r.Threads[i]
			for j, rec := range t.Records {
				if rec.From >= 0 && rec.FromOp >= r.Threads[rec.From].Ops {
					t.Ops, t.Records, again = rec.At, t.Records[:j], true
					break
				}
			}
			for len(t.Records) > 0 && t.Records[len(t.Records)-1].At >= t.Ops {
				t.Records = t.Records[:len(t.Records)-1]
			}
		}
	}
}
