package traces

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/hocket-dev/hocket/engine/tracedb"
	"github.com/hocket-dev/hocket/internal/temp"
)

// Run returns the run that an id, or the beginning of one, names.
func (m *Module) Run(ctx context.Context, name string) (*tracedb.Stored, error) {
	db, err := m.open(ctx, tracedb.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	return db.Run(name)
}

// Failed are the runs of a mode that did not pass.
func (m *Module) Failed(ctx context.Context, mode string) ([]*tracedb.Stored, error) {
	db, err := m.open(ctx, tracedb.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	return failed(ctx, db, mode)
}

func failed(ctx context.Context, db *tracedb.DB, mode string) (out []*tracedb.Stored, err error) {
	err = db.Each(ctx, Filter{Failed: true}, func(id tracedb.ID, r *tracedb.Run) error {
		if r.Program.Mode == mode {
			out = append(out, &tracedb.Stored{ID: id, Run: r})
		}
		return nil
	})
	return out, err
}

// IsFile reports whether a file is an exported one.
func IsFile(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	b := make([]byte, len(tracedb.FileMagic))
	_, err = io.ReadFull(f, b)
	return err == nil && string(b) == tracedb.FileMagic
}

// FailedIn are the runs of a mode in an exported file that did not pass.
func FailedIn(ctx context.Context, file, mode string) ([]*tracedb.Stored, error) {
	dir, err := temp.Dir("traces")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	db, err := tracedb.Open(ctx, filepath.Join(dir, "db"), tracedb.Options{})
	if err != nil {
		return nil, err
	}
	if _, err := db.Merge(ctx, file); err != nil {
		return nil, errors.Join(fmt.Errorf("read %s: %w", file, err), db.Close())
	}
	out, err := failed(ctx, db, mode)
	return out, errors.Join(err, db.Close())
}
