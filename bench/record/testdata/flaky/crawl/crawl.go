// Package crawl visits pages and those that they link to.
package crawl

import (
	"sync"
	"sync/atomic"
)

// Page has links. One that has moved has the link to where it is now.
type Page struct {
	Links []int
	Moved bool
}

// Crawler counts the pages that it has visited.
type Crawler struct {
	pages   []Page
	wg      sync.WaitGroup
	visited atomic.Int64
}

// Crawl visits all pages that can be reached from one, and returns their number.
func Crawl(pages []Page, from int) int {
	c := &Crawler{pages: pages}
	c.wg.Add(1)
	go c.visit(from)
	c.wg.Wait()
	return int(c.visited.Load())
}

func (c *Crawler) visit(page int) {
	p := c.pages[page]
	c.visited.Add(1)
	if p.Moved {
		c.wg.Done()
		c.wg.Add(1) // too late, if nobody else is at work
	}
	for _, l := range p.Links {
		c.wg.Add(1)
		go c.visit(l)
	}
	c.wg.Done()
}
