// Command pages shows a page that somebody clears meanwhile.
package main

import (
	"fmt"
	"sync"
)

type page struct {
	text *string
	no   int
}

func reader(p *page, times int) {
	if p.text != nil {
		fmt.Println(*p.text, times)
	}
}

func clearer(p *page) {
	old := p.text
	p.text = nil
	_ = old
}

func unused(p *page) {
	p.no++
}

func main() {
	text := "hello"
	p := &page{text: &text, no: 3}
	var done sync.WaitGroup
	done.Go(func() { reader(p, 7) })
	done.Go(func() { clearer(p) })
	done.Wait()
	fmt.Println("over")
	if len(text) == 0 {
		unused(p)
	}
}
