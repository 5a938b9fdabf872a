//go:build !linux

package core

import (
	"context"
	"errors"
)

// Attach stops a process, to be read; only on Linux.
func Attach(context.Context, int) (*Program, error) {
	return nil, errors.New("the variables of a running program are read on Linux only")
}
