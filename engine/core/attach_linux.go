package core

import (
	"context"
	"fmt"

	"github.com/go-delve/delve/pkg/proc/native"
)

// Attach stops a process of this user's, to be read until Close, which lets it go on. It
// must be one that nothing else debugs.
func Attach(ctx context.Context, pid int) (*Program, error) {
	p := &Program{live: true}
	err := p.guard(ctx, func() error {
		group, err := native.Attach(pid, nil, nil)
		if err != nil {
			return err
		}
		p.group, p.target = group, group.Selected
		return nil
	})
	if err != nil {
		p.abandon()
		return nil, fmt.Errorf("stop process %d to read its variables: %w", pid, err)
	}
	return p, nil
}
