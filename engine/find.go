package engine

import (
	"context"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/core"
	"github.com/hocket-dev/hocket/engine/dump"
	"github.com/hocket-dev/hocket/engine/from"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/recordings"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/session"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/version"
)

// Names of the packages below that callers need.
type (
	FindOptions = session.Options
	Flags       = target.Flags
	Report      = report.Report
	Finding     = report.Finding
)

// Update is a state of progress, and Progress receives updates.
type (
	Update   = progress.Update
	Progress = progress.Func
)

// Phases that callers tell apart.
const (
	Building      = progress.Building
	Searching     = progress.Searching
	Replaying     = progress.Replaying
	RunningBreaks = progress.RunningBreaks
)

// Defaults of a find that gives no limits.
const (
	DefaultBudget    = session.DefaultBudget
	DefaultSchedules = session.DefaultSchedules
	DefaultDelay     = session.DefaultDelay
)

// ErrBudget means that there is no report, since the budget ended before any
// target could be searched.
var ErrBudget = session.ErrBudget

// Find searches the targets that the options select, from recorded runs where there are
// any and the strategy starts from runs. The report holds what was
// found until the budget ended or ctx was cancelled.
func Find(ctx context.Context, opt FindOptions, tell Progress) (*Report, error) {
	return recordings.Guided(ctx, opt, tell)
}

// Strategies lists the names that FindOptions.Strategy takes, sorted.
func Strategies() []string { return session.Strategies() }

// HasStrategy reports whether this build has a strategy.
func HasStrategy(name string) bool { return session.HasStrategy(name) }

// HasDepth reports whether a strategy looks for bugs of a given depth.
func HasDepth(strategy string) bool { return session.HasDepth(strategy) }

// ReadOverlay reads a file as go build -overlay takes it, for
// FindOptions.Overlay.
func ReadOverlay(file string) (map[string]string, error) { return build.ReadOverlay(file) }

// Version of this build of Hocket.
func Version() string { return version.Version() }

// Options and answer of From.
type (
	FromOptions  = from.Options
	FromAnswer   = from.Answer
	Sought       = from.From
	CoreAnswer   = from.Core
	CoreVariable = from.Variable
	Failure      = dump.Failure
)

// From searches for the state that an artefact of a failure tells of: a panic's or
// time-out's output, a goroutine dump or profile, a race report, a log with such text.
func From(ctx context.Context, opt FromOptions, tell Progress) (*FromAnswer, error) {
	return from.Search(ctx, opt, tell)
}

// IsCore reports whether a file is a core dump, which From reads by its name
// (FromOptions.Core). A file that is not there is none.
func IsCore(file string) (bool, error) { return core.IsFile(file) }

// Failures are those that a text tells of, as From counts them; none if it is no
// artefact of a failure.
func Failures(text string) []Failure { return dump.Failures(text) }
