package files

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/hocket-dev/hocket/lsp/protocol"
)

const (
	maxDisk   = 32 << 20 // bytes of a file that is still read
	cacheSize = 64 << 20 // bytes of texts that are kept
)

// disk reads files, and keeps their texts as long as time stamp and size stay.
type disk struct {
	mu    sync.Mutex
	enc   protocol.Encoding
	known map[string]entry
	bytes int
}

type entry struct {
	file  *File
	stamp time.Time
	size  int64
}

func newDisk() *disk { return &disk{known: map[string]entry{}} }

func (d *disk) setEncoding(e protocol.Encoding) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.enc = e
}

// read returns a regular file's text. Anything else, pipes and devices above
// all, is not opened.
func (d *disk) read(path string) (*File, bool) {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxDisk {
		d.drop(path)
		return nil, false
	}
	d.mu.Lock()
	e, ok := d.known[path]
	enc := d.enc
	d.mu.Unlock()
	if ok && e.stamp.Equal(st.ModTime()) && e.size == st.Size() {
		return e.file, true
	}
	text, err := readAll(path)
	if err != nil {
		return nil, false
	}
	f := newFile(protocol.FileURI(path), text, enc)
	d.keep(path, entry{f, st.ModTime(), st.Size()})
	return f, true
}

// readAll reads no more than is allowed, however fast the file grows.
func readAll(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxDisk))
	return string(b), err
}

func (d *disk) keep(path string, e entry) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.bytes += len(e.file.Text) - d.textOf(path)
	d.known[path] = e
	for other := range d.known {
		if d.bytes <= cacheSize {
			return
		}
		if other != path {
			d.bytes -= d.textOf(other)
			delete(d.known, other)
		}
	}
}

func (d *disk) drop(path string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.bytes -= d.textOf(path)
	delete(d.known, path)
}

func (d *disk) textOf(path string) int {
	if e, ok := d.known[path]; ok {
		return len(e.file.Text)
	}
	return 0
}
