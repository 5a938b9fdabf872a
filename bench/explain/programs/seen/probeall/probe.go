// Package probeall asks several targets whether they are up.
package probeall

import (
	"errors"
	"fmt"
)

// Target is what can be probed.
type Target struct {
	Name string
	Down bool
}

var errDown = errors.New("down")

func (t Target) dial() error {
	if t.Down {
		return errDown
	}
	return nil
}

type result struct {
	name string
	err  error
}

func probe(t Target, out chan<- result) {
	out <- result{t.Name, t.dial()}
}

// All returns the names of the targets that are up, or the first error.
func All(targets []Target) ([]string, error) {
	results := make(chan result)
	for _, t := range targets {
		go probe(t, results)
	}
	var up []string
	for range targets {
		r := <-results
		if r.err != nil {
			return nil, fmt.Errorf("%s: %w", r.name, r.err)
		}
		up = append(up, r.name)
	}
	return up, nil
}
