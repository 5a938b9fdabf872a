package record

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/internal/atomicfile"
)

// A run on disk: a line with the format's name and version; a line of JSON, the
// head; and the body, compressed, with its checksum (CRC-32 of the uncompressed
// body, little-endian) before it. The body is a sequence of unsigned varints: the
// number of threads, and for each its parent's index + 1, number, how-manieth firing,
// operations, bytes of the function's name, that name, number of words, words.

const (
	fileMagic = "hocket-run 1\n"
	// Ending of the files.
	Ending = ".hkrun"
)

// ErrFormat means that a file holds no recorded run.
var ErrFormat = errors.New("no recorded run of this version of Hocket")

// Save writes the run into a folder, as its ID says.
func (r *Run) Save(dir string) (path string, err error) {
	data, err := r.encode()
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, r.ID+Ending)
	return path, atomicfile.Write(path, data)
}

func (r *Run) encode() ([]byte, error) {
	head, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	body := binary.AppendUvarint(nil, uint64(len(r.Threads)))
	for i := range r.Threads {
		t := &r.Threads[i]
		for _, v := range []uint64{uint64(t.Parent + 1), t.nth, uint64(t.fired), t.Ops, uint64(len(t.Func))} {
			body = binary.AppendUvarint(body, v)
		}
		body = append(body, t.Func...)
		body = binary.AppendUvarint(body, uint64(3*len(t.Records)))
		for w := range t.Words() {
			body = binary.AppendUvarint(body, w)
		}
	}
	var b bytes.Buffer
	b.WriteString(fileMagic)
	b.Write(append(head, '\n'))
	b.Write(binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(body)))
	z, err := flate.NewWriter(&b, flate.DefaultCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(body); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Open reads a recorded run.
func Open(path string) (*Run, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r, body, err := decodeHead(path, data)
	if err != nil {
		return nil, err
	}
	if err := r.decodeBody(body); err != nil {
		return nil, fmt.Errorf("%s: %w: %v", path, ErrFormat, err)
	}
	return r, nil
}

func decodeHead(path string, data []byte) (*Run, []byte, error) {
	rest, ok := bytes.CutPrefix(data, []byte(fileMagic))
	head, body, ok2 := bytes.Cut(rest, []byte("\n"))
	if !ok || !ok2 {
		return nil, nil, fmt.Errorf("%s: %w", path, ErrFormat)
	}
	r := &Run{}
	if err := json.Unmarshal(head, r); err != nil {
		return nil, nil, fmt.Errorf("%s: %w: %v", path, ErrFormat, err)
	}
	r.ID = strings.TrimSuffix(filepath.Base(path), Ending)
	return r, body, nil
}

// maxBody is how large a body may be: one of a full log is smaller.
const maxBody = 8 << 30

func (r *Run) decodeBody(data []byte) error {
	if len(data) < 4 {
		return io.ErrUnexpectedEOF
	}
	body, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(data[4:])), maxBody))
	if err != nil {
		return err
	}
	if crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(data) {
		return errors.New("the checksum is wrong: the file is damaged")
	}
	var bad error
	next := func() uint64 {
		v, n := binary.Uvarint(body)
		if n <= 0 {
			bad, body = io.ErrUnexpectedEOF, nil
			return 0
		}
		body = body[n:]
		return v
	}
	n := next()
	if n > uint64(len(body)) {
		return io.ErrUnexpectedEOF
	}
	r.Threads = make([]Thread, 0, n)
	for i := range n {
		t := Thread{Parent: int(next()) - 1, nth: next(), fired: uint32(next()), Ops: next()}
		if t.Parent < -1 || t.Parent >= int(i) {
			return fmt.Errorf("goroutine %d stands before its parent", i)
		}
		name := next()
		if bad != nil || name > uint64(len(body)) {
			return io.ErrUnexpectedEOF
		}
		t.Func, body = string(body[:name]), body[name:]
		words := next()
		if words > uint64(len(body)) {
			return io.ErrUnexpectedEOF
		}
		if t.Records, err = FromWords(func(yield func(uint64) bool) {
			for range words {
				if !yield(next()) {
					return
				}
			}
		}); err != nil {
			return err
		}
		if err := t.check(int(n)); err != nil {
			return err
		}
		t.Name = ownName(t.nth, t.fired)
		if t.Parent >= 0 {
			t.Name = r.Threads[t.Parent].Name + "." + t.Name
		}
		r.Threads = append(r.Threads, t)
	}
	if bad != nil {
		return bad
	}
	return r.checkOrders()
}

// checkOrders says which record names an operation that nobody did: a run that follows
// would wait for it.
func (r *Run) checkOrders() error {
	for i := range r.Threads {
		for _, rec := range r.Threads[i].Records {
			if rec.From >= 0 && rec.FromOp >= r.Threads[rec.From].Ops {
				return fmt.Errorf("a record after operation %d of goroutine %s, which did %d", rec.FromOp, r.Threads[rec.From].Name, r.Threads[rec.From].Ops)
			}
		}
	}
	return nil
}

// check says what is wrong with the records.
func (t *Thread) check(threads int) error {
	at := uint64(0)
	for _, rec := range t.Records {
		if rec.At < at || rec.At >= t.Ops || rec.From >= threads {
			return fmt.Errorf("a record of operation %d of %d, after goroutine %d of %d", rec.At, t.Ops, rec.From, threads)
		}
		at = rec.At
	}
	return nil
}

// List reads the heads of the runs in a folder, oldest first. Files that hold none
// are returned as problems, a line each.
func List(dir string) (runs []*Run, problems []string) {
	files, _ := filepath.Glob(filepath.Join(dir, "*"+Ending))
	for _, f := range files {
		r, err := readHead(f)
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		runs = append(runs, r)
	}
	slices.SortStableFunc(runs, func(a, b *Run) int { return a.Started.Compare(b.Started) })
	return runs, problems
}

func readHead(path string) (*Run, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, 64<<10)
	n, err := io.ReadFull(f, data)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("%s: %w", path, ErrFormat)
	}
	r, _, err := decodeHead(path, data[:n])
	return r, err
}

// NewID names a run that began at a time.
func NewID(began time.Time, order string) string {
	return fmt.Sprintf("%s-%s", began.UTC().Format("20060102-150405.000"), order[:min(6, len(order))])
}

// Remove removes a run from a folder.
func Remove(dir, id string) error { return os.Remove(filepath.Join(dir, id+Ending)) }
