package session

import (
	"sync"
	"testing"
)

// One leaves while the other is greeted.
func TestGreeting(t *testing.T) {
	s := Enter("Ada")
	var wg sync.WaitGroup
	wg.Go(func() { s.Leave() })
	wg.Go(func() { s.Greeting() })
	wg.Wait()
}
