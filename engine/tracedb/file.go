package tracedb

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"slices"
	"strings"
)

// An exported file: a header, then blocks, each with its length and checksum, the
// last of which counts the runs (docs/traces.md).

const (
	// FileMagic is what exported files begin with.
	FileMagic = "HOCKETDB"
	// FileFormat is the version of exported files.
	FileFormat = 1
)

const (
	kindProgram = 1 // described, as JSON; programs are numbered in the order of the file, from 0
	kindRuns    = 2
	kindEnd     = 3 // how many runs there are
	kindTables  = 4 // tables, as JSON; before the programs that name them by their sum
)

// Writer writes an exported file.
type Writer struct {
	w        io.Writer
	codec    *codec
	pending  map[*Program]*batch // runs that are not written yet
	programs map[string]int
	tables   map[string]bool
	runs     int
}

// NewWriter writes the header. Close must be called.
func NewWriter(w io.Writer) (*Writer, error) {
	c, err := newCodec()
	if err != nil {
		return nil, err
	}
	out := &Writer{w: w, codec: c, programs: map[string]int{}, tables: map[string]bool{}, pending: map[*Program]*batch{}}
	_, err = w.Write(binary.LittleEndian.AppendUint32([]byte(FileMagic), FileFormat))
	return out, err
}

// Add writes a run; it may be kept back until Close.
func (w *Writer) Add(r *Run) error {
	if err := r.check(); err != nil {
		return err
	}
	b := w.pending[r.Program]
	if b == nil {
		b = &batch{add: w.write}
		w.pending[r.Program] = b
	}
	return b.put(r)
}

// write writes a block of runs of one program.
func (w *Writer) write(runs []*Run) error {
	p := runs[0].Program
	n, ok := w.programs[p.identity()]
	if !ok {
		if err := w.describe(p); err != nil {
			return err
		}
		n = len(w.programs)
		w.programs[p.identity()] = n
	}
	w.runs += len(runs)
	return w.block(kindRuns, encodeBlock(n, runs))
}

// describe writes a program, and its tables unless they were written before.
func (w *Writer) describe(p *Program) error {
	name, text, err := encodeTables(p)
	if err != nil {
		return err
	}
	if name != "" && !w.tables[name] {
		w.tables[name] = true
		if err := w.block(kindTables, text); err != nil {
			return err
		}
	}
	if text, err = json.Marshal(described{headOf(p), name}); err != nil {
		return err
	}
	return w.block(kindProgram, text)
}

func (w *Writer) block(kind byte, b []byte) error {
	b = w.codec.enc.EncodeAll(b, []byte{kind})
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(b)))
	head = binary.LittleEndian.AppendUint32(head, crc32.Checksum(b, castagnoli))
	if _, err := w.w.Write(head); err != nil {
		return err
	}
	_, err := w.w.Write(b)
	return err
}

// Close writes what is left and the end. It does not close the underlying writer.
func (w *Writer) Close() error {
	defer w.codec.close()
	for _, p := range slices.SortedFunc(maps.Keys(w.pending), func(a, b *Program) int {
		return strings.Compare(a.identity(), b.identity())
	}) {
		if err := w.pending[p].flush(); err != nil {
			return err
		}
	}
	return w.block(kindEnd, binary.AppendUvarint(nil, uint64(w.runs)))
}

// readFile calls f with the runs of each block of an exported file, in order. With
// f nil it only checks that all of the file is there and as it was written.
func readFile(in io.Reader, f func([]*Run) error) (runs int, err error) {
	c, err := newCodec()
	if err != nil {
		return 0, err
	}
	defer c.close()
	r := fileReader{in: bufio.NewReaderSize(in, 1<<16), codec: c, tables: map[string]tables{}}
	if err := r.header(); err != nil {
		return 0, err
	}
	for {
		kind, body, err := r.block(f != nil)
		if err != nil {
			return r.runs, fmt.Errorf("block %d: %w", r.blocks, err)
		}
		r.blocks++
		if kind == kindEnd {
			return r.runs, r.end()
		}
		if f == nil {
			continue
		}
		if err := r.take(kind, body, f); err != nil {
			return r.runs, err
		}
	}
}

type fileReader struct {
	in       *bufio.Reader
	codec    *codec
	programs []*Program
	tables   map[string]tables
	blocks   int
	runs     int
	last     []byte // the body of the end
}

var errCut = errors.New("the file is cut")

func (r *fileReader) header() error {
	var b [12]byte
	n, err := io.ReadFull(r.in, b[:])
	switch {
	case n < len(FileMagic) || string(b[:8]) != FileMagic:
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		return errors.New("not a file of exported runs")
	case err != nil:
		return errCut
	}
	if v := binary.LittleEndian.Uint32(b[8:]); v != FileFormat {
		return fmt.Errorf("the file has format %d; this version of hocket reads format %d: use the version that wrote it", v, FileFormat)
	}
	return nil
}

// block reads and checks a block; with body false it is not decompressed.
func (r *fileReader) block(body bool) (kind byte, out []byte, err error) {
	var head [8]byte
	if _, err := io.ReadFull(r.in, head[:]); err != nil {
		return 0, nil, cut(err)
	}
	size := binary.LittleEndian.Uint32(head[:])
	if size == 0 || size > maxBlock {
		return 0, nil, errors.New("the file is damaged: a length is wrong")
	}
	// Not all at once: the length is not to be trusted yet.
	b, err := io.ReadAll(io.LimitReader(r.in, int64(size)))
	if err == nil && len(b) < int(size) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return 0, nil, cut(err)
	}
	if crc32.Checksum(b, castagnoli) != binary.LittleEndian.Uint32(head[4:]) {
		return 0, nil, errors.New("the file is damaged: a checksum is wrong")
	}
	kind = b[0]
	if body || kind == kindEnd {
		if out, err = r.codec.dec.DecodeAll(b[1:], nil); err != nil {
			return 0, nil, fmt.Errorf("the file is damaged: %w", err)
		}
	}
	if kind == kindEnd {
		r.last = out
	}
	return kind, out, nil
}

func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errCut
	}
	return err
}

func (r *fileReader) take(kind byte, body []byte, f func([]*Run) error) error {
	switch kind {
	case kindTables:
		var t tables
		if err := json.Unmarshal(body, &t); err != nil {
			return fmt.Errorf("block %d: tables can't be read: %w", r.blocks-1, err)
		}
		sum := sha256.Sum256(body)
		r.tables[hex.EncodeToString(sum[:16])] = t
		return nil
	case kindProgram:
		var d described
		if err := json.Unmarshal(body, &d); err != nil {
			return fmt.Errorf("block %d: a program can't be read: %w", r.blocks-1, err)
		}
		t, ok := r.tables[d.Tables]
		if !ok && d.Tables != "" {
			return fmt.Errorf("block %d: a program's tables are missing", r.blocks-1)
		}
		r.programs = append(r.programs, d.program(t))
		return nil
	case kindRuns:
		runs, err := decodeBlock(body, r.programs)
		if err != nil {
			return fmt.Errorf("block %d can't be read: %w", r.blocks-1, err)
		}
		r.runs += len(runs)
		return f(runs)
	}
	return fmt.Errorf("block %d is of a kind that this version of hocket does not know: %d", r.blocks-1, kind)
}

// end checks the count of runs, if they were read, and that nothing follows.
func (r *fileReader) end() error {
	last := reader{b: r.last}
	n := last.uint()
	if err := last.end(); err != nil {
		return fmt.Errorf("the end can't be read: %w", err)
	}
	if r.programs != nil && n != uint64(r.runs) {
		return fmt.Errorf("the file has %d runs, and says %d", r.runs, n)
	}
	r.runs = int(n)
	if _, err := r.in.ReadByte(); err != io.EOF {
		return errors.New("the file goes on after its end")
	}
	return nil
}
