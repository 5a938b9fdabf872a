package reduce

import (
	"context"
	"runtime"
	"sync"

	"github.com/hocket-dev/hocket/engine/run"
)

// workers defaults to the processors that may be used.
func workers(n int) int {
	if n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// runEach runs specs side by side and returns the results in their order. The
// first error, by position, is returned instead.
func runEach(ctx context.Context, runner run.Runner, specs []run.Spec) ([]*run.Result, error) {
	results := make([]*run.Result, len(specs))
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
