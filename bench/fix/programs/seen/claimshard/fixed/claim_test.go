package claimshard

import (
	"errors"
	"sync"
	"testing"
)

func TestOneOwner(t *testing.T) {
	a := New(4)
	nodes := []Node{{"ams-1"}, {"fra-2"}}
	errs := make([]error, len(nodes))
	var wg sync.WaitGroup
	for i, n := range nodes {
		wg.Go(func() { errs[i] = a.Claim(n, 3) })
	}
	wg.Wait()

	won := ""
	for i, err := range errs {
		switch {
		case err == nil && won != "":
			t.Fatalf("%s and %s both own the shard", won, nodes[i].Name)
		case err == nil:
			won = nodes[i].Name
		case !errors.Is(err, ErrTaken):
			t.Errorf("%s: %v", nodes[i].Name, err)
		}
	}
	if got := a.Owner(3); won == "" || got != won {
		t.Errorf("owner is %q, %q was told so", got, won)
	}
	if err := a.Claim(nodes[0], 9); err == nil || errors.Is(err, ErrTaken) {
		t.Errorf("a shard out of range: %v", err)
	}
}
