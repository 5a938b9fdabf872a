// Command racy counts without a lock.
package main

import "sync"

type counter struct{ n int }

func (c *counter) hit() {
	seen := c.n
	c.n = seen + 1
}

func main() {
	c := &counter{}
	var done sync.WaitGroup
	for range 2 {
		done.Add(1)
		go func() {
			defer done.Done()
			c.hit()
		}()
	}
	done.Wait()
	println(c.n)
}
