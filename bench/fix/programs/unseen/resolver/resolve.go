// Package resolver looks host names up in several zones.
package resolver

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ErrUnknown is returned for a name that no zone has.
var ErrUnknown = errors.New("unknown host")

// Zone knows some names. Lookups are slow: a zone may be on another continent.
type Zone interface {
	Lookup(host string) (addr string, ok bool)
}

// Static is a zone in memory.
type Static map[string]string

// Lookup implements Zone.
func (s Static) Lookup(host string) (string, bool) {
	addr, ok := s[strings.ToLower(host)]
	return addr, ok
}

// Resolver asks its zones in order.
type Resolver struct {
	zones  []Zone
	suffix string
}

// New returns a resolver; names without a dot get the suffix.
func New(suffix string, zones ...Zone) *Resolver {
	return &Resolver{zones: zones, suffix: suffix}
}

type answer struct {
	addr string
	err  error
}

// Resolve returns the address of a host. It returns as soon as ctx ends, although
// a zone cannot be interrupted.
func (r *Resolver) Resolve(ctx context.Context, host string) (string, error) {
	if host == "" {
		return "", fmt.Errorf("%w: empty name", ErrUnknown)
	}
	if !strings.Contains(host, ".") && r.suffix != "" {
		host += "." + r.suffix
	}
	answers := make(chan answer)
	go func() {
		addr, err := r.ask(host)
		answers <- answer{addr, err}
	}()
	select {
	case a := <-answers:
		return a.addr, a.err
	case <-ctx.Done():
		return "", fmt.Errorf("resolve %s: %w", host, context.Cause(ctx))
	}
}

func (r *Resolver) ask(host string) (string, error) {
	for _, z := range r.zones {
		if addr, ok := z.Lookup(host); ok {
			return addr, nil
		}
	}
	return "", fmt.Errorf("%w: %s", ErrUnknown, host)
}
