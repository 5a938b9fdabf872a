package engine

import (
	"context"

	"github.com/hocket-dev/hocket/engine/dump"
	"github.com/hocket-dev/hocket/engine/from"
)

// Options and answer of From.
type (
	FromOptions = from.Options
	FromAnswer  = from.Answer
	Sought      = from.From
	Failure     = dump.Failure
)

// From searches for the state that an artefact of a failure tells of: a panic's or
// time-out's output, a goroutine dump or profile, a race report, a log with such text.
func From(ctx context.Context, opt FromOptions, tell Progress) (*FromAnswer, error) {
	return from.Search(ctx, opt, tell)
}

// Failures are those that a text tells of, as From counts them; none if it is no
// artefact of a failure.
func Failures(text string) []Failure { return dump.Failures(text) }
