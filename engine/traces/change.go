package traces

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/record"
	"github.com/hocket-dev/hocket/engine/tracedb"
	"github.com/hocket-dev/hocket/internal/atomicfile"
)

// Merged is the answer of traces merge.
type Merged struct {
	Version int          `json:"version"`
	Files   []MergedFile `json:"files"`
}

// MergedFile is what came of one file.
type MergedFile struct {
	File  string `json:"file"`
	Runs  int    `json:"runs"` // that it has
	New   int    `json:"new"`  // of these
	Error string `json:"error,omitempty"`
}

// Add adds runs.
func (m *Module) Add(ctx context.Context, runs []*tracedb.Run) error {
	db, err := m.open(ctx, tracedb.Options{Doing: "hocket record"})
	if err != nil {
		return err
	}
	_, err = db.Add(runs...)
	return errors.Join(err, db.Close())
}

// Merge adds the runs of exported files, of other databases, and of files of hocket
// record; without files, of those that it keeps for this module. A file that can't be
// read costs only itself; the error is the first such one, or of the whole call.
func (m *Module) Merge(ctx context.Context, files []string) (*Merged, error) {
	db, err := m.open(ctx, tracedb.Options{Doing: "hocket traces merge"})
	if err != nil {
		return nil, err
	}
	out := &Merged{Version: Version, Files: []MergedFile{}}
	if len(files) == 0 {
		if files, err = m.kept(ctx); err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	var first error
	for _, name := range files {
		f, err := mergeFile(ctx, db, name)
		if err != nil {
			f.Error = err.Error()
			if first == nil {
				first = err
			}
		}
		out.Files = append(out.Files, f)
		if ctx.Err() != nil {
			break
		}
	}
	return out, errors.Join(first, db.Close())
}

func mergeFile(ctx context.Context, db *tracedb.DB, name string) (MergedFile, error) {
	if strings.HasSuffix(name, record.Ending) {
		return mergeRun(db, name)
	}
	m, err := db.Merge(ctx, name)
	return MergedFile{File: name, Runs: m.Runs, New: m.New}, err
}

// Filter chooses the runs that are exported.
type Filter = tracedb.Filter

// Export writes the chosen runs to a file, which is replaced in one step, or to w if
// the file is "-". It returns how many they are.
func (m *Module) Export(ctx context.Context, file string, f Filter, w io.Writer) (int, error) {
	db, err := m.open(ctx, tracedb.Options{ReadOnly: true})
	if err != nil {
		return 0, err
	}
	defer db.Close()
	if file == "-" {
		return db.Export(ctx, w, f)
	}
	var n int
	err = atomicfile.WriteWith(file, func(w io.Writer) error {
		var err error
		n, err = db.Export(ctx, w, f)
		return err
	})
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("write %s: %w", file, err)
	}
	return n, err
}

// PruneOptions say what traces gc drops.
type PruneOptions struct {
	Older    time.Duration // runs that were recorded longer ago; 0: none
	Keep     int           // passing runs kept of each program, the last ones; 0: all
	Programs int           // programs kept of each package and entry; 0: all
}

// Pruned is the answer of traces gc.
type Pruned struct {
	Version int   `json:"version"`
	Runs    int   `json:"runs"` // that are left
	Dropped int   `json:"dropped"`
	Bytes   int64 `json:"bytes"` // of the file, now
	Before  int64 `json:"bytes_before"`
}

// Prune drops runs, and gives back the room that the database does not need.
func (m *Module) Prune(ctx context.Context, o PruneOptions) (*Pruned, error) {
	policy := tracedb.Policy{Keep: o.Keep, Programs: o.Programs}
	if o.Older > 0 {
		policy.Before = time.Now().Add(-o.Older)
	}
	// Asked for reading first: there may be nothing to drop from.
	if db, err := m.open(ctx, tracedb.Options{ReadOnly: true}); err != nil {
		return nil, err
	} else if err := db.Close(); err != nil {
		return nil, err
	}
	db, err := m.open(ctx, tracedb.Options{Doing: "hocket traces gc"})
	if err != nil {
		return nil, err
	}
	p, err := db.Prune(ctx, policy)
	if err = errors.Join(err, db.Close()); err != nil {
		return nil, err
	}
	return &Pruned{Version, p.Runs, p.Dropped, p.Size, p.Was}, nil
}
