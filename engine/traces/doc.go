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

// ErrNone means that nothing was recorded in the module.
var ErrNone = errors.New("no recorded runs in this module yet; hocket traces merge FILE adds those of exported files")

// Open opens the database of the module around dir. One that is not there is made,
// unless it is for reading: then the error is ErrNone.
func Open(ctx context.Context, dir string, o tracedb.Options) (*tracedb.DB, error) {
	env, err := target.LoadEnv(ctx, dir)
	if err != nil {
		return nil, err
	}
	state := store.OpenRead(env.Module)
	if !o.ReadOnly {
		if state, err = store.Open(env.Module); err != nil {
			return nil, err
		}
	}
	db, err := tracedb.Open(ctx, filepath.Join(state.Dir(), File), o)
	if errors.Is(err, fs.ErrNotExist) && o.ReadOnly {
		return nil, ErrNone
	}
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("open the database of recorded runs: %w", err)
	}
	return db, err
}
