package present

import (
	"strings"
	"sync"

	"github.com/hocket-dev/hocket/lsp/anchor"
)

// Cache keeps what is costly to compute of texts from one view to the next:
// the comparison of two texts, the syntax of one. What neither of the last two
// views used is dropped. Making a view locks it: one view is made at a time.
type Cache struct {
	mu        sync.Mutex
	now, last generation
}

type generation struct {
	texts  map[string]*anchor.Text
	maps   map[[2]string]*anchor.Map
	syntax map[string]*syntax
	lines  map[string][]string
	funcs  map[[2]string]int // by text and name
}

func newGeneration() generation {
	return generation{map[string]*anchor.Text{}, map[[2]string]*anchor.Map{}, map[string]*syntax{}, map[string][]string{}, map[[2]string]int{}}
}

// NewCache returns an empty cache.
func NewCache() *Cache { return &Cache{now: newGeneration(), last: newGeneration()} }

// begin locks the cache for the making of a view; end it by c.mu.Unlock.
func (c *Cache) begin() {
	c.mu.Lock()
	c.last, c.now = c.now, newGeneration()
}

func cached[K comparable, V any](now, last map[K]V, key K, compute func() V) V {
	v, ok := now[key]
	if !ok {
		if v, ok = last[key]; !ok {
			v = compute()
		}
		now[key] = v
	}
	return v
}

func (c *Cache) text(s string) *anchor.Text {
	return cached(c.now.texts, c.last.texts, s, func() *anchor.Text { return anchor.NewText(s) })
}

func (c *Cache) between(old, now string) *anchor.Map {
	return cached(c.now.maps, c.last.maps, [2]string{old, now}, func() *anchor.Map {
		return anchor.Between(c.text(old), c.text(now))
	})
}

func (c *Cache) syntaxOf(text string) *syntax {
	return cached(c.now.syntax, c.last.syntax, text, func() *syntax { return parse(text) })
}

func (c *Cache) linesOf(text string) []string {
	return cached(c.now.lines, c.last.lines, text, func() []string { return strings.Split(text, "\n") })
}

// funcLine is the line where a function without a receiver starts, 0 if there
// is none.
func (c *Cache) funcLine(text, name string) int {
	return cached(c.now.funcs, c.last.funcs, [2]string{text, name}, func() int {
		i := strings.Index("\n"+text, "\nfunc "+name+"(")
		if i < 0 {
			return 0
		}
		return strings.Count(text[:i], "\n") + 1
	})
}

// lineOf is a line without its end, "" if there is none.
func lineOf(lines []string, n int) string {
	if n < 1 || n > len(lines) {
		return ""
	}
	return strings.TrimSuffix(lines[n-1], "\r")
}

// today is a file as it is.
type today struct {
	text   string
	lines  []string
	syntax *syntax
}
