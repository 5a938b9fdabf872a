package sessions

import (
	"math/rand"
	"sync"
	"testing"
)

func TestOneForEach(t *testing.T) {
	var s Store
	users := make([]int, 10)
	for i := range users {
		users[i] = rand.Intn(900)
	}
	var got [2][]*Session
	start := make(chan struct{})
	var wg sync.WaitGroup
	for w := range got {
		wg.Go(func() {
			<-start
			for _, u := range users {
				got[w] = append(got[w], s.Get(u))
			}
		})
	}
	close(start)
	wg.Wait()
	for i := range users {
		if got[0][i] != got[1][i] {
			t.Errorf("a user has more than one session")
		}
	}
}
