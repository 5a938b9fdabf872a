package engine

import (
	"context"

	"github.com/hocket-dev/hocket/engine/from"
)

// Options and answer of From.
type (
	FromOptions = from.Options
	FromAnswer  = from.Answer
	Sought      = from.From
)

// From searches for the state that an artefact of a failure tells of: a panic's or
// time-out's output, a goroutine dump or profile, a race report, a log with such text.
func From(ctx context.Context, opt FromOptions, tell Progress) (*FromAnswer, error) {
	return from.Search(ctx, opt, tell)
}
