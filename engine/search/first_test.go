package search

import (
	"context"
	"slices"
	"testing"

	"github.com/hocket-dev/hocket/engine/run"
)

// numbers proposes the seeds 0, 1, ... up to a limit.
type numbers struct {
	Base
	limit    int
	observed []uint64
}

func (s *numbers) Next(_ context.Context, n int) (run.Spec, bool) {
	return run.Spec{Seed: uint64(n)}, n < s.limit
}

func (s *numbers) Observe(spec run.Spec, _ *run.Result) {
	s.observed = append(s.observed, spec.Seed)
}

func TestFirst(t *testing.T) {
	then := &numbers{limit: 3}
	s := NewFirst(then, run.Spec{Seed: 100}, run.Spec{Seed: 101})
	var got []uint64
	for n := 0; ; n++ {
		spec, ok := s.Next(t.Context(), n)
		if !ok {
			break
		}
		got = append(got, spec.Seed)
		s.Observe(spec, &run.Result{})
	}
	if want := []uint64{100, 101, 0, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("proposed %v, want %v", got, want)
	}
	if want := []uint64{0, 1, 2}; !slices.Equal(then.observed, want) {
		t.Errorf("the other strategy learnt of %v, want %v", then.observed, want)
	}
}

func TestBeside(t *testing.T) {
	then := &numbers{limit: 8}
	s := NewBeside(then, run.Spec{Seed: 100}, run.Spec{Seed: 101})
	var got []uint64
	for n := 0; ; n++ {
		spec, ok := s.Next(t.Context(), n)
		if !ok {
			break
		}
		got = append(got, spec.Seed)
		s.Observe(spec, &run.Result{})
	}
	if want := []uint64{0, 1, 2, 100, 3, 4, 5, 101, 6, 7}; !slices.Equal(got, want) {
		t.Errorf("proposed %v, want %v", got, want)
	}
	if want := []uint64{0, 1, 2, 3, 4, 5, 6, 7}; !slices.Equal(then.observed, want) {
		t.Errorf("the other strategy learnt of %v, want %v", then.observed, want)
	}
}
