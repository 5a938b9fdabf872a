package featureflags

import (
	"sync"
	"testing"
)

func TestAskWhileChanged(t *testing.T) {
	f := New(map[string]Flag{
		"checkout": {On: true, Percent: 100},
		"coupons":  {On: true, Percent: 100, Needs: []string{"checkout"}},
		"beta":     {On: true, Percent: 0},
	})
	var wg sync.WaitGroup
	version := 0
	wg.Go(func() { f.Sees("ann", "coupons") })
	wg.Go(func() {
		version = f.Set("checkout", func(flag *Flag) { flag.On = false })
	})
	wg.Wait()
	if version != 1 {
		t.Errorf("version %d", version)
	}
	if f.Sees("ann", "coupons") {
		t.Error("coupons are seen without checkout")
	}
	f.Set("checkout", func(flag *Flag) { flag.On = true })
	if !f.Sees("ann", "coupons") || f.Sees("ann", "beta") {
		t.Error("the flags are wrong after the change")
	}
}
