// Package thumbs renders the thumbnails of an album.
package thumbs

import (
	"fmt"
	"path"
	"sync"
)

// Photo is one picture of an album.
type Photo struct {
	Name string
	W, H int
}

// Thumb is its thumbnail.
type Thumb struct {
	Name string
	W, H int
}

// Renderer makes thumbnails that fit into a box.
type Renderer struct {
	Box int

	pending sync.WaitGroup
	mu      sync.Mutex
	thumbs  map[string]Thumb
	errs    []error
}

// scale keeps the proportions.
func (r *Renderer) scale(p Photo) (Thumb, error) {
	if p.W <= 0 || p.H <= 0 {
		return Thumb{}, fmt.Errorf("%s: %d by %d", p.Name, p.W, p.H)
	}
	t := Thumb{Name: path.Join("thumbs", p.Name), W: r.Box, H: r.Box}
	if p.W > p.H {
		t.H = max(1, p.H*r.Box/p.W)
	} else {
		t.W = max(1, p.W*r.Box/p.H)
	}
	return t, nil
}

func (r *Renderer) render(p Photo) {
	defer r.pending.Done()
	t, err := r.scale(p)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.errs = append(r.errs, err)
		return
	}
	r.thumbs[p.Name] = t
}

// Album renders photos as the scanner of an album finds them. Photos that cannot be
// rendered are left out, and there is an error for each.
func (r *Renderer) Album(found <-chan Photo) (map[string]Thumb, []error) {
	r.mu.Lock()
	r.thumbs = map[string]Thumb{}
	r.errs = nil
	r.mu.Unlock()
	for p := range found {
		if p.Name == "" {
			continue // a folder
		}
		r.pending.Add(1)
		go r.render(p)
	}
	r.pending.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.thumbs, r.errs
}
