// Package traces is what commands do with the recorded runs of a module: list, show,
// merge, export and drop them. They are in one database (package tracedb) in the
// module's state folder.
//
// Invariants:
//   - Listing and showing write nothing and make no database.
//   - The names of JSON fields are a contract, never renamed.
//   - It runs and builds nothing.
package traces

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/tracedb"
)

// Version of the JSON answers.
const Version = 1

// File is the name of the database in the state folder.
const File = "traces.db"

// runsFolder is where hocket record keeps runs, a file each, below the state folder.
const runsFolder = "runs"

// ErrNone means that the module has no database.
var ErrNone = errors.New("no recorded runs in the database of this module yet; hocket record -mode paths adds some, hocket traces merge those of .hocket/runs or of exported files")

// Module is the recorded runs of a module.
type Module struct{ dir string }

// Of returns the recorded runs of the module around a folder, "" for the current one.
func Of(dir string) *Module { return &Module{dir} }

// state is the module's state folder, made unless it is for reading.
func (m *Module) state(ctx context.Context, readOnly bool) (string, error) {
	env, err := target.LoadEnv(ctx, m.dir)
	if err != nil {
		return "", err
	}
	if readOnly {
		return store.OpenRead(env.Module).Dir(), nil
	}
	st, err := store.Open(env.Module)
	if err != nil {
		return "", err
	}
	return st.Dir(), nil
}

// open opens the database. One that is not there is made, unless it is for reading:
// then the error is ErrNone.
func (m *Module) open(ctx context.Context, o tracedb.Options) (*tracedb.DB, error) {
	dir, err := m.state(ctx, o.ReadOnly)
	if err != nil {
		return nil, err
	}
	db, err := tracedb.Open(ctx, filepath.Join(dir, File), o)
	if errors.Is(err, fs.ErrNotExist) && o.ReadOnly {
		return nil, ErrNone
	}
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("open the database of recorded runs: %w", err)
	}
	return db, err
}
