package crawl

import (
	"math/rand"
	"testing"
)

func TestAllPages(t *testing.T) {
	pages := make([]Page, 40)
	for i := 1; i < len(pages); i++ {
		from := (i - 1) / 2
		pages[from].Links = append(pages[from].Links, i)
		pages[from].Moved = rand.Intn(1500) == 0
	}
	if Crawl(pages, 0) != len(pages) {
		t.Errorf("visited only a part of the pages")
	}
}
