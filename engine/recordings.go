package engine

import (
	"context"
	"os"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/recordings"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/traces"
)

// Names of the packages below that callers need.
type (
	RecordOptions = recordings.Options
	Recorded      = report.Recorded
	TraceProgram  = traces.Program
	TraceRun      = traces.Run
	TraceFilter   = traces.Filter
	TracesGC      = traces.PruneOptions
)

// Recording is the phase in which runs are recorded.
const Recording = progress.Recording

// DefaultRecordedRuns is how often Record runs each target.
const DefaultRecordedRuns = recordings.DefaultRuns

// Record records runs of the targets that the options select, on Go's own scheduler.
// The answer has what was recorded until ctx was cancelled.
func Record(ctx context.Context, opt RecordOptions, tell Progress) (*Recorded, error) {
	return recordings.Record(ctx, opt, tell)
}

// RecordCommand runs a go command (go test ./...), and records what it builds and runs.
func RecordCommand(ctx context.Context, args []string, tell Progress) (*Recorded, error) {
	return recordings.Command(ctx, "", args, tell)
}

// CollectRecordings keeps the runs of the logs that recording programs have left in a
// folder.
func CollectRecordings(ctx context.Context, logs string, tell Progress) (*Recorded, error) {
	return recordings.Collect(ctx, "", logs, tell)
}

// BuildRecording builds a program that records its runs into the folder that
// HOCKET_RECORD names.
func BuildRecording(ctx context.Context, pattern, out string, flags Flags) error {
	return build.File(ctx, "", pattern, out, flags, build.Record)
}

// BuildCounting builds a program of a package in a folder, whose loops count their rounds,
// so that cores of it tell in which round each was.
func BuildCounting(ctx context.Context, dir, pattern, out string, flags Flags) error {
	return build.File(ctx, dir, pattern, out, flags, build.Plain)
}

// RecordTool serves a go command that makes a recording build, which starts this
// program for each of its tools; it does not return then. With other arguments it
// does nothing.
func RecordTool(args []string) {
	if len(args) > 0 && args[0] == instrument.RecordCommand {
		os.Exit(instrument.RecordTool(args[1:]))
	}
}

// FindFrom follows a recorded run (a file, an id or "last") on Go's own scheduler, and
// then under control, where it is simplified and explained.
func FindFrom(ctx context.Context, name string, opt FindOptions, tell Progress) (*Report, error) {
	return recordings.From(ctx, name, opt, tell)
}

// Traces are the recorded runs in the database of the module around dir.
func Traces(dir string) *traces.Module { return traces.Of(dir) }
