package engine

import (
	"context"
	"io"

	"github.com/hocket-dev/hocket/engine/traces"
)

// The recorded runs of a module; see package traces.
type (
	TraceList    = traces.List
	TraceProgram = traces.Program
	TraceRun     = traces.Run
	TracesMerged = traces.Merged
	TraceFilter  = traces.Filter
	TracesGC     = traces.PruneOptions
	TracesPruned = traces.Pruned
)

// ErrNoTraces means that the module has no recorded runs.
var ErrNoTraces = traces.ErrNone

// Traces lists the programs of which the module around dir has recorded runs.
func Traces(ctx context.Context, dir string) (*TraceList, error) { return traces.ListOf(ctx, dir) }

// Trace returns the recorded run that an id, the beginning of one, or "last" names.
func Trace(ctx context.Context, dir, id string) (*TraceRun, error) { return traces.Show(ctx, dir, id) }

// MergeTraces adds the runs of files to those of the module. What was merged comes
// back beside an error.
func MergeTraces(ctx context.Context, dir string, files []string) (*TracesMerged, error) {
	return traces.Merge(ctx, dir, files)
}

// ExportTraces writes runs to a file, or to w if that is "-".
func ExportTraces(ctx context.Context, dir, file string, f TraceFilter, w io.Writer) (int, error) {
	return traces.Export(ctx, dir, file, f, w)
}

// PruneTraces drops recorded runs.
func PruneTraces(ctx context.Context, dir string, o TracesGC) (*TracesPruned, error) {
	return traces.Prune(ctx, dir, o)
}
