package run

import (
	"context"
	"runtime"
	"sync"
)

// Workers is n, or the number of processors that may be used if n is not positive.
func Workers(n int) int {
	if n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// RunEach runs specs in parallel and returns the results in their order. If
// there are errors, it returns the first one, by position.
func RunEach(ctx context.Context, runner Runner, specs []Spec) ([]*Result, error) {
	results := make([]*Result, len(specs))
	errs := make([]error, len(specs))
	var wg sync.WaitGroup
	for i, s := range specs {
		wg.Go(func() { results[i], errs[i] = runner.Run(ctx, s) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return results, nil
}
