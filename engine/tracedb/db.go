package tracedb

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gofrs/flock"
	bolt "go.etcd.io/bbolt"
)

// Format of the database file. Another one is refused by name.
const Format = 1

var (
	bucketMeta     = []byte("meta")
	bucketPrograms = []byte("programs") // number -> described
	bucketTables   = []byte("tables")   // sum -> tables
	bucketNumbers  = []byte("numbers")  // identity of a program, name of a tree, text -> number
	bucketTexts    = []byte("texts")    // number -> text
	bucketEdges    = []byte("edges")
	bucketNodes    = []byte("nodes")
	bucketRuns     = []byte("runs") // ID -> run
	keyFormat      = []byte("format")
)

var buckets = [][]byte{bucketMeta, bucketPrograms, bucketTables, bucketNumbers, bucketTexts, bucketEdges, bucketNodes, bucketRuns}

// Options of Open. The zero value opens for writing and creates.
type Options struct {
	ReadOnly bool
	// Wait is how long to wait for another process that has the database. 0: 10 s.
	Wait time.Duration
	// Doing names what this process does, for others that have to wait.
	Doing string
}

// DB is an open database. Its methods may be called by one goroutine at a time.
type DB struct {
	path  string
	bolt  *bolt.DB
	lock  *flock.Flock
	codec *codec
}

// BusyError says that another process has the database.
type BusyError struct {
	Path, By string
	Waited   time.Duration
}

func (e *BusyError) Error() string {
	by := "another process"
	if e.By != "" {
		by = e.By
	}
	return fmt.Sprintf("%s is in use by %s (waited %s); try again when that has ended", e.Path, by, e.Waited.Round(time.Second/10))
}

// DamagedError says that the file does not hold what was written to it.
type DamagedError struct {
	Path string
	Why  string
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s is damaged (%s): move it away; hocket traces merge fills a new one from exported files", e.Path, e.Why)
}

// Open opens the database, and creates it unless it is for reading.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	if o.Wait == 0 {
		o.Wait = 10 * time.Second
	}
	if o.ReadOnly {
		if _, err := os.Stat(path); err != nil {
			return nil, err
		}
	} else if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	lock, err := acquire(ctx, path, o)
	if err != nil {
		return nil, err
	}
	db, err := open(path, o)
	if err != nil {
		lock.Close()
		return nil, err
	}
	db.lock = lock
	return db, nil
}

// acquire takes the lock beside the database. The database's own would not do: the
// file is replaced by Rewrite, and who waited for the old one would write to it.
func acquire(ctx context.Context, path string, o Options) (*flock.Flock, error) {
	name := path + ".lock"
	lock := flock.New(name, flock.SetPermissions(0o666))
	limit, cancel := context.WithTimeout(ctx, o.Wait)
	defer cancel()
	try := lock.TryLockContext
	if o.ReadOnly {
		try = lock.TryRLockContext
	}
	start := time.Now()
	ok, err := try(limit, 20*time.Millisecond)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case ok && err == nil:
		if !o.ReadOnly {
			// For others to read; it does no harm if it is cut or left behind.
			_ = os.WriteFile(name, fmt.Appendf(nil, "%s (process %d)\n", o.Doing, os.Getpid()), 0o666)
		}
		return lock, nil
	case o.ReadOnly && (errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist)):
		return lock, nil // a folder that can't be written: nobody writes
	case err != nil && limit.Err() == nil:
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	by, _ := os.ReadFile(name)
	return nil, &BusyError{path, strings.TrimSpace(string(by)), time.Since(start)}
}

func open(path string, o Options) (db *DB, err error) {
	c, err := newCodec()
	if err != nil {
		return nil, err
	}
	db = &DB{path: path, codec: c}
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	if fi, err := os.Stat(path); err == nil && fi.Size() == 0 && o.ReadOnly {
		return nil, fs.ErrNotExist // of a process that was killed before it wrote
	}
	err = db.guard(func() error {
		db.bolt, err = bolt.Open(path, 0o666, &bolt.Options{ReadOnly: o.ReadOnly, Timeout: o.Wait,
			FreelistType: bolt.FreelistMapType})
		return err
	})
	switch {
	case errors.Is(err, bolt.ErrTimeout):
		return nil, &BusyError{path, "", o.Wait}
	case errors.Is(err, bolt.ErrInvalid), errors.Is(err, bolt.ErrVersionMismatch), errors.Is(err, bolt.ErrChecksum):
		return nil, fmt.Errorf("%s is no database of runs, or cut (%v): move it away; hocket traces merge fills a new one from exported files", path, err)
	case err != nil:
		return nil, fmt.Errorf("open the database of runs %s: %w", path, err)
	}
	if err = db.prepare(o.ReadOnly); err != nil {
		_ = db.bolt.Close()
		return nil, err
	}
	return db, nil
}

// prepare makes the buckets of a new database, and checks the format of another.
func (db *DB) prepare(readOnly bool) error {
	var format uint64
	fresh := false
	err := db.view(func(tx *bolt.Tx) error {
		meta := tx.Bucket(bucketMeta)
		if meta == nil {
			k, _ := tx.Cursor().First()
			fresh = k == nil
			return nil
		}
		r := reader{b: meta.Get(keyFormat)}
		format = r.uint()
		return r.err
	})
	switch {
	case err != nil:
		return err
	case fresh && !readOnly:
		return db.update(func(tx *bolt.Tx) error {
			for _, b := range buckets {
				if _, err := tx.CreateBucketIfNotExists(b); err != nil {
					return err
				}
			}
			return tx.Bucket(bucketMeta).Put(keyFormat, binary.AppendUvarint(nil, Format))
		})
	case fresh:
		return fs.ErrNotExist // of a process that was killed while it made it
	case format == 0:
		return fmt.Errorf("%s is no database of runs", db.path)
	case format != Format:
		return fmt.Errorf("%s has format %d; this version of hocket reads format %d: use the version that wrote it, or move the file away", db.path, format, Format)
	}
	return nil
}

// Close releases the database.
func (db *DB) Close() error {
	err := db.bolt.Close()
	db.codec.close()
	return errors.Join(err, db.lock.Close())
}

// Path is the file's name.
func (db *DB) Path() string { return db.path }

func (db *DB) view(f func(*bolt.Tx) error) error {
	return db.guard(func() error { return db.bolt.View(f) })
}

func (db *DB) update(f func(*bolt.Tx) error) error {
	return db.guard(func() error { return db.bolt.Update(f) })
}

// guard calls f and turns what damage of the file does to the store's code, which
// trusts its pages, into an error: panics, and reads beyond the file.
func (db *DB) guard(f func() error) (err error) {
	old := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(old)
	defer func() {
		if r := recover(); r != nil {
			err = &DamagedError{db.path, fmt.Sprint(r)}
		}
	}()
	err = f()
	if errors.Is(err, errDamaged) {
		err = &DamagedError{db.path, "a checksum or a structure is wrong"}
	}
	return err
}
