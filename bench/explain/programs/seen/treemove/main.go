// Command treemove moves files between folders.
package main

import (
	"fmt"
	"sync"
)

type folder struct {
	id    int
	mu    sync.Mutex
	files map[string]int
}

func newFolder(id int, files ...string) *folder {
	f := &folder{id: id, files: map[string]int{}}
	for i, name := range files {
		f.files[name] = i + 1
	}
	return f
}

func (f *folder) size() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.files)
}

// move moves a file from src to dst, so that it is never in both.
func move(name string, src, dst *folder) bool {
	src.mu.Lock()
	defer src.mu.Unlock()
	n, ok := src.files[name]
	if !ok {
		return false
	}
	dst.mu.Lock()
	defer dst.mu.Unlock()
	delete(src.files, name)
	dst.files[name] = n
	return true
}

func main() {
	inbox := newFolder(1, "a", "b")
	archive := newFolder(2, "c")
	trash := newFolder(3)
	move("b", inbox, trash)
	var wg sync.WaitGroup
	wg.Go(func() { move("a", inbox, archive) })
	wg.Go(func() { move("c", archive, inbox) })
	wg.Wait()
	fmt.Println(inbox.size(), archive.size(), trash.size())
}
