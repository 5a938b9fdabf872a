// Command swing is a window with a text, after Swing: the event thread repaints
// under the repaint manager's lock and asks for the text's; whoever edits the
// text holds the text's lock and marks what is to be repainted. The two come
// there far apart: the paper needed long waits, 1,230 % overhead
// (DOSSIER: BTrigger swing; the classes are ours).
package main

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

func main() {
	m := &repaintManager{}
	d := &document{manager: m, lines: []string{"first"}}
	m.shown = d
	var wg sync.WaitGroup
	wg.Go(func() { // the user's edits come early
		for i := range 200 {
			d.insert(fmt.Sprint("line ", i))
		}
	})
	wg.Go(func() { // the first picture comes late: the window is made first
		time.Sleep(60 * time.Millisecond)
		m.paint()
	})
	wg.Wait()
	fmt.Println("painted:", m.painted)
}

// document is the text and its lock.
type document struct {
	mu      sync.Mutex
	lines   []string
	manager *repaintManager
}

func (d *document) insert(line string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, line)
	d.manager.addDirty(len(d.lines) - 1)
}

func (d *document) render() string {
	d.mu.Lock() // l2
	defer d.mu.Unlock()
	return strings.Join(d.lines, "\n")
}

// repaintManager gathers what is to be painted.
type repaintManager struct {
	mu      sync.Mutex
	dirty   map[int]bool
	shown   *document
	painted int
}

func (m *repaintManager) addDirty(line int) {
	m.mu.Lock() // l1
	defer m.mu.Unlock()
	if m.dirty == nil {
		m.dirty = map[int]bool{}
	}
	m.dirty[line] = true
}

func (m *repaintManager) paint() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.painted = len(m.shown.render())
	m.dirty = nil
}
