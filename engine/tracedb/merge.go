package tracedb

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	bolt "go.etcd.io/bbolt"
)

// Filter chooses runs. The zero value chooses all.
type Filter struct {
	Package string
	Entry   string
	Content string // of the program
	Failed  bool   // only those that did not pass
	Since   time.Time
	Ignore  map[ID]bool
}

func (f *Filter) fits(id ID, p *Program, outcome string, at time.Time) bool {
	return (f.Package == "" || f.Package == p.Package) && (f.Entry == "" || f.Entry == p.Entry) &&
		(f.Content == "" || f.Content == p.Content) && (!f.Failed || outcome != Passed) &&
		(f.Since.IsZero() || !at.Before(f.Since)) && !f.Ignore[id]
}

// Each calls f with the chosen runs, in the order of their IDs,
// until it returns an error. Runs with equal paths may share them: f must not
// change them.
func (db *DB) Each(ctx context.Context, filter Filter, f func(ID, *Run) error) error {
	return db.view(func(tx *bolt.Tx) error {
		d, err := newDecoder(tx, db.codec)
		if err != nil {
			return err
		}
		return rows(tx, nil, func(r *row) (bool, error) {
			p, err := d.table.program(r.program)
			if err != nil {
				return false, err
			}
			outcome, err := d.table.name(r.outcome)
			if err != nil || !filter.fits(r.id, p, outcome, r.time) {
				return err == nil, err
			}
			run, err := d.run(r)
			if err != nil {
				return false, err
			}
			if err := f(r.id, run); err != nil {
				return false, err
			}
			return true, ctx.Err()
		})
	})
}

// Export writes the chosen runs to w, and returns how many they are.
func (db *DB) Export(ctx context.Context, w io.Writer, filter Filter) (int, error) {
	out, err := NewWriter(w)
	if err != nil {
		return 0, err
	}
	n := 0
	err = db.Each(ctx, filter, func(_ ID, r *Run) error {
		n++
		return out.Add(r)
	})
	if err != nil {
		out.codec.close()
		return 0, err
	}
	return n, out.Close()
}

// Merged is what Merge did.
type Merged struct {
	Runs int // that the file has
	New  int // of these
}

// Merge adds the runs of a file: an exported one, or a database. A file of which
// not all can be read adds nothing. If ctx ends, or the process is killed, some of
// the runs may have been added; merging again adds the others.
func (db *DB) Merge(ctx context.Context, name string) (m Merged, err error) {
	defer func() {
		if err != nil && ctx.Err() == nil {
			err = fmt.Errorf("merge %s: %w", name, err)
		}
	}()
	f, err := os.Open(name)
	if err != nil {
		return m, err
	}
	defer f.Close()
	isDB, err := isDatabase(f)
	if err != nil {
		return m, err
	}
	if isDB {
		return db.mergeDatabase(ctx, name)
	}
	if _, err := readFile(f, nil); err != nil {
		return m, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return m, err
	}
	if _, err = readFile(f, func(runs []*Run) error { return db.take(ctx, runs, &m) }); err != nil {
		return m, err
	}
	return m, db.shrink()
}

func (db *DB) take(ctx context.Context, runs []*Run, m *Merged) error {
	n, err := db.Add(runs...)
	m.Runs += len(runs)
	m.New += n
	if err == nil {
		err = ctx.Err()
	}
	return err
}

// isDatabase tells by the store's magic number, in the first page.
func isDatabase(f *os.File) (bool, error) {
	var b [20]byte
	n, err := f.ReadAt(b[:], 0)
	if err != nil && err != io.EOF {
		return false, err
	}
	return n == len(b) && bytes.Equal(b[16:], []byte{0xED, 0xDA, 0x0C, 0xED}), nil
}

func (db *DB) mergeDatabase(ctx context.Context, name string) (m Merged, err error) {
	if same(db.path, name) {
		return m, fmt.Errorf("it is the database itself")
	}
	from, err := Open(ctx, name, Options{ReadOnly: true})
	if err != nil {
		return m, err
	}
	defer from.Close()
	b := batch{add: func(runs []*Run) error { return db.take(ctx, runs, &m) }}
	if err = from.Each(ctx, Filter{}, func(_ ID, r *Run) error { return b.put(r) }); err == nil {
		err = b.flush()
	}
	if err == nil {
		err = db.shrink()
	}
	return m, err
}

func same(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// batch collects runs for transactions of a size that is worth their cost.
type batch struct {
	add    func([]*Run) error
	runs   []*Run
	tokens int
}

func (b *batch) put(r *Run) error {
	b.runs = append(b.runs, r)
	for i := range r.Threads {
		b.tokens += len(r.Threads[i].Tokens)
	}
	if len(b.runs) >= blockRuns || b.tokens >= blockTokens {
		return b.flush()
	}
	return nil
}

func (b *batch) flush() error {
	if len(b.runs) == 0 {
		return nil
	}
	err := b.add(b.runs)
	b.runs, b.tokens = nil, 0
	return err
}
