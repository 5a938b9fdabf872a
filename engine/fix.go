package engine

import (
	"context"

	"github.com/hocket-dev/hocket/engine/fixes"
	"github.com/hocket-dev/hocket/engine/report"
)

// Fixes of a finding.
type (
	FixOptions = fixes.Options
	FixAnswer  = fixes.Answer
	FixVerdict = report.Fix
)

// DefaultFixBudget is the time for FixOptions that give none.
const DefaultFixBudget = fixes.DefaultBudget

// Fix looks for edits that take the cause of a finding away, and tries them.
func Fix(ctx context.Context, opt FixOptions, tell Progress) (*FixAnswer, error) {
	return fixes.Find(ctx, opt, tell)
}

// CheckFix tries new texts of files, by absolute name, as a fix of a finding.
func CheckFix(ctx context.Context, opt FixOptions, files map[string][]byte, tell Progress) (*FixVerdict, error) {
	return fixes.Check(ctx, opt, files, tell)
}
