package traces

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/hocket-dev/hocket/engine/record"
	"github.com/hocket-dev/hocket/engine/tracedb"
)

// kept are the run files of the module.
func (m *Module) kept(ctx context.Context) ([]string, error) {
	dir, err := m.state(ctx, true)
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, runsFolder, "*"+record.Ending))
	if here, err := os.Getwd(); err == nil {
		for i, f := range files {
			if rel, err := filepath.Rel(here, f); err == nil {
				files[i] = rel
			}
		}
	}
	return files, err
}

// mergeRun adds a run of hocket record.
func mergeRun(db *tracedb.DB, name string) (MergedFile, error) {
	out := MergedFile{File: name}
	r, err := record.Open(name)
	if err == nil {
		out.Runs = 1
		out.New, err = db.Add(converted(r))
	}
	if err != nil {
		err = fmt.Errorf("merge %s: %w", name, err)
	}
	return out, err
}

// Unknown stands for what a run does not say of its program.
const Unknown = "unknown"

// wholeBinary is the entry of a run that is of no single target.
const wholeBinary = "(all)"

// converted is a run of hocket record as the database keeps it. The records of a
// goroutine are its tokens: where the order was another goroutine's.
func converted(r *record.Run) *tracedb.Run {
	p := &tracedb.Program{Package: or(r.Package, Unknown), Entry: or(r.Entry, wholeBinary), Mode: "order", Content: or(r.Program, Unknown), Go: r.Go, OS: r.OS, Arch: r.Arch}
	out := &tracedb.Run{Program: p, Time: r.Started, Seed: r.Seed, Outcome: string(r.Outcome), Failure: r.Failure, Torn: r.Torn != ""}
	for i := range r.Threads {
		t := &r.Threads[i]
		out.Threads = append(out.Threads, tracedb.Thread{Name: t.Name, Site: t.Func, Tokens: slices.Collect(t.Words())})
	}
	return out
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
