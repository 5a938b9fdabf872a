package paths

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/hocket-dev/hocket/engine/rt"
	"github.com/hocket-dev/hocket/engine/tracedb"
)

// Log is what a program left in its file.
type Log struct {
	Threads []tracedb.Thread // goroutines that took a branch or started others, by name
	Ended   bool             // by its own will: Exit is the code
	Exit    int
	Full    bool // later records were lost: the file was full
	Records int
	Bytes   int64 // of the file that were used
}

// create makes an empty log, of at most size bytes. Disk is used as it is written.
func create(name string, size int64, seed uint64) error {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	head := make([]byte, rt.PathHead)
	for word, v := range map[int]uint64{rt.PathWMagic: rt.PathMagic, rt.PathWVersion: rt.PathVersion, rt.PathWSize: uint64(size), rt.PathWUsed: rt.PathHead, rt.PathWSeed: seed} {
		binary.NativeEndian.PutUint64(head[8*word:], v)
	}
	_, err = f.Write(head)
	return errors.Join(err, f.Truncate(size), f.Close())
}

// chunk is a piece of one goroutine's records.
type chunk struct {
	goid, parent uint64
	nth, seq     uint32
	start        uint64 // address of its function
	timer        uint64 // that started it
	at           int    // in the file
	body         []byte
}

var errNoLog = errors.New("not a log of paths")

// ReadLog reads a log, whether the program ended or was killed at any moment. funcAt
// names the function at an address from the start of the text. branches is how many
// the program has, loops are those that record in bits.
func ReadLog(name string, branches int, loops []Loop, funcAt func(uint64) string) (*Log, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, rt.PathHead)
	if _, err := io.ReadFull(f, head); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, errNoLog)
	}
	word := func(i int) uint64 { return binary.NativeEndian.Uint64(head[8*i:]) }
	used := word(rt.PathWUsed)
	switch {
	case word(rt.PathWMagic) != rt.PathMagic:
		return nil, fmt.Errorf("read %s: %w", name, errNoLog)
	case word(rt.PathWVersion) != rt.PathVersion:
		return nil, fmt.Errorf("read %s: it has version %d; this version of hocket reads version %d", name, word(rt.PathWVersion), rt.PathVersion)
	case used < rt.PathHead:
		return nil, fmt.Errorf("read %s: it is damaged: a length is wrong", name)
	}
	// What was given out may lie beyond the file when it was full.
	body, err := io.ReadAll(io.LimitReader(f, int64(min(used, word(rt.PathWSize)))-rt.PathHead))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	chunks, err := chunksOf(body)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	l := &Log{Ended: word(rt.PathWEnded) != 0, Exit: int(int32(word(rt.PathWEnded) - 1)), Full: word(rt.PathWFull) != 0, Bytes: int64(len(body)) + rt.PathHead}
	l.Threads, err = threadsOf(chunks, reader{branches: uint64(branches), loops: loops}, funcAt)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	for _, t := range l.Threads {
		l.Records += len(t.Tokens)
	}
	return l, nil
}

// chunksOf walks through the chunks. One that was given out and not begun is zero.
func chunksOf(b []byte) ([]chunk, error) {
	var out []chunk
	for at := 0; at+rt.PathChunkHead <= len(b); {
		w := func(i int) uint64 { return binary.NativeEndian.Uint64(b[at+8*i:]) }
		first := w(0)
		if first == 0 {
			at = (at/rt.PathChunkUnit + 1) * rt.PathChunkUnit
			continue
		}
		size := int(first & 0xffffffff)
		if first>>32 != rt.PathChunk || size < rt.PathChunkHead || size > rt.PathChunkMax || at+size > len(b) {
			return nil, fmt.Errorf("it is damaged at byte %d", at+rt.PathHead)
		}
		c := chunk{goid: w(1), nth: uint32(w(2) >> 32), seq: uint32(w(2)), parent: w(3), start: w(4), timer: w(5), at: at + rt.PathHead, body: b[at+rt.PathChunkHead : at+size]}
		out = append(out, c)
		at += size
	}
	return out, nil
}

// reader reads the records of one goroutine.
type reader struct {
	branches uint64
	loops    []Loop
	in       *Loop // whose next word comes first, nil: none
	bit      int   // where it goes on
	tokens   []uint64
}

// chunk reads what is in a chunk, which follows those that were read.
func (r *reader) chunk(c chunk) error {
	for b := c.body; ; {
		if r.in != nil {
			if len(b) < 8 || binary.NativeEndian.Uint64(b) == 0 {
				return nil
			}
			at, more := r.in.decode(binary.NativeEndian.Uint64(b), r.bit, r.tell)
			b, r.bit = b[8:], at
			if !more {
				r.in = nil
			}
			continue
		}
		if len(b) < 2 {
			return nil
		}
		x := uint64(binary.NativeEndian.Uint16(b))
		b = b[2:]
		switch k := rt.MaxBranches - int(x/2); {
		case x == 0:
			return nil
		case x >= 2 && x/2 <= r.branches:
			r.tell(x)
		case x%2 == 0 && k < len(r.loops):
			r.in, r.bit = &r.loops[k], r.loops[k].begin
		default:
			return fmt.Errorf("it names branch %d of %d in the chunk at byte %d: it is of another program, or damaged", x/2, r.branches, c.at)
		}
	}
}

// tell adds an outcome: branches are numbered from 1.
func (r *reader) tell(x uint64) { r.tokens = append(r.tokens, x-2) }

// threadsOf puts the chunks of each goroutine together and names goroutines: "0" is
// main, "0.2" its second child, "0.t2.1" what its second timer started when it fired
// first. One that the runtime started otherwise is "t.N": N is drawn by the order of
// their numbers.
func threadsOf(chunks []chunk, empty reader, funcAt func(uint64) string) ([]tracedb.Thread, error) {
	slices.SortStableFunc(chunks, func(a, b chunk) int { return cmp.Or(cmp.Compare(a.goid, b.goid), cmp.Compare(a.seq, b.seq)) })
	f := family{first: map[uint64]chunk{}, names: map[uint64]string{1: "0"}}
	var out []tracedb.Thread
	for i := 0; i < len(chunks); {
		c := chunks[i]
		f.first[c.goid] = c
		t := tracedb.Thread{Site: funcAt(c.start)}
		if c.goid == 1 {
			t.Site = "main"
		}
		r := empty
		for n := uint32(0); i < len(chunks) && chunks[i].goid == c.goid; i++ {
			if chunks[i].seq != n {
				return nil, fmt.Errorf("records of goroutine %d are missing", c.goid)
			}
			n++
			if err := r.chunk(chunks[i]); err != nil {
				return nil, err
			}
		}
		t.Tokens = r.tokens
		f.ids = append(f.ids, c.goid)
		out = append(out, t)
	}
	for i, id := range f.ids {
		var err error
		if out[i].Name, err = f.name(id, 0); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b tracedb.Thread) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// family names goroutines. A parent may have a larger number than its child: each
// processor has numbers to give.
type family struct {
	first  map[uint64]chunk // of each goroutine
	ids    []uint64
	names  map[uint64]string
	timers int
}

func (f *family) name(id uint64, depth int) (string, error) {
	if name, ok := f.names[id]; ok {
		return name, nil
	}
	c, ok := f.first[id]
	switch {
	case !ok:
		return "", fmt.Errorf("goroutine %d started others and is missing", id)
	case depth > len(f.ids):
		return "", fmt.Errorf("goroutine %d is its own ancestor", id)
	case c.parent == 0:
		f.timers++
		f.names[id] = fmt.Sprint("t.", f.timers)
		return f.names[id], nil
	}
	parent, err := f.name(c.parent, depth+1)
	if err == nil && c.timer > 0 {
		parent += fmt.Sprint(".t", c.timer)
	}
	if err == nil {
		f.names[id] = fmt.Sprint(parent, ".", c.nth)
	}
	return f.names[id], err
}
