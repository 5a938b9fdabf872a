// Package refs shares files that are closed when nobody needs them any more.
package refs

import (
	"errors"
	"sync"
	"sync/atomic"
)

// File is a shared file. A temporary one is removed when it is closed.
type File struct {
	Temporary bool
	name      int
	refs      atomic.Int32
	closed    atomic.Bool
}

// Read returns a sum of the data. It fails when the file is closed.
func (f *File) Read() (sum int, err error) {
	for i := range 4_000 {
		sum = sum*31 + i*f.name
	}
	if f.closed.Load() {
		return 0, errors.New("the file was closed")
	}
	return sum, nil
}

// Cache opens each file once.
type Cache struct {
	mu    sync.Mutex
	files map[int]*File
}

// New returns an empty cache.
func New() *Cache { return &Cache{files: map[int]*File{}} }

// Open returns a file that is not closed before Release.
func (c *Cache) Open(name int, temporary bool) *File {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.files[name]
	if f == nil {
		f = &File{name: name, Temporary: temporary}
		c.files[name] = f
	}
	f.refs.Add(1)
	return f
}

// Release is the end of what Open began. Files that are not temporary stay open.
func (c *Cache) Release(f *File) {
	if f.refs.Add(-1) > 0 || !f.Temporary {
		return
	}
	// Somebody may open it right now.
	c.mu.Lock()
	delete(c.files, f.name)
	c.mu.Unlock()
	f.closed.Store(true)
}
