package done

import (
	"sync"
	"testing"
)

type job struct {
	out  chan int
	res  int
	err  string
	tags map[string]int
}

func (j *job) run(n int) {
	j.res = n
	select {
	case j.out <- n:
		j.err = ""
	default:
		j.err = "full"
	}
	if n == 2 {
		j.tags["late"]++
	}
}

func (j *job) wait() int {
	<-j.out
	if j.err != "" {
		return -1
	}
	return j.res + j.tags["late"]
}

func TestDone(t *testing.T) {
	j := &job{out: make(chan int, 1), tags: map[string]int{}}
	var wg sync.WaitGroup
	wg.Go(func() { j.run(1) })
	wg.Go(func() { j.run(2) })
	wg.Go(func() { j.wait() })
	wg.Wait()
}
