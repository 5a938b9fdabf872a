// Command crowd has many readers of pages of their own, and one who clears one.
package main

import (
	"fmt"
	"sync"
	"time"
)

type page struct {
	text *string
	no   int
}

func reader(p *page) {
	if p.text != nil {
		fmt.Println(*p.text)
	}
}

func clearer(p *page) {
	p.text = nil
}

func main() {
	text := "hello"
	var done sync.WaitGroup
	pages := make([]*page, 6)
	for i := range pages {
		pages[i] = &page{text: &text, no: i}
		done.Go(func() { reader(pages[i]) })
	}
	time.Sleep(300 * time.Millisecond)
	done.Go(func() { clearer(pages[4]) })
	done.Wait()
}
