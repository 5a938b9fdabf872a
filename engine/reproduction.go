package engine

import (
	"context"
	"errors"
)

// ReproductionOptions says for which finding to print a test.
type ReproductionOptions struct {
	Dir        string // "" is the current folder
	ID         string // or the start of one
	Standalone bool   // needs nothing but the standard library
}

// ReproductionTest gives a Go test file of the finding's package that makes
// the finding happen with plain go test. Notes are one line each.
func ReproductionTest(ctx context.Context, opt ReproductionOptions, progress Progress) (string, error) {
	return "", errors.New("not built yet")
}
