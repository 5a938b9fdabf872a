// Package fetchall gets several pages.
package fetchall

import (
	"errors"
	"strings"
	"sync"
)

// Page is what was fetched.
type Page struct {
	url  string
	text string
}

var errNotFound = errors.New("not found")

func get(url string) (*Page, error) {
	if strings.HasPrefix(url, "/missing") {
		return nil, errNotFound
	}
	return &Page{url, "text of " + url}, nil
}

type shelf struct {
	mu    sync.Mutex
	pages []*Page
	err   error
}

func (s *shelf) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

func (s *shelf) put(p *Page) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages = append(s.pages, p)
}

// All fetches all urls, or returns an error.
func All(urls []string) ([]*Page, error) {
	var wg sync.WaitGroup
	s := &shelf{}
	for _, url := range urls {
		wg.Go(func() {
			p, e := get(url)
			if e != nil {
				s.fail(e)
				return
			}
			s.put(p)
		})
	}
	wg.Wait()
	return s.pages, s.err
}
