package present

import (
	"strings"
	"sync"
	"unsafe"

	"github.com/hocket-dev/hocket/lsp/anchor"
)

// Cache keeps what is costly to compute of texts from one view to the next:
// the comparison of two texts, the syntax of one. What neither of the last two
// views used is dropped. Making a view locks it: one view is made at a time.
type Cache struct {
	mu        sync.Mutex
	now, last generation
	known     int // texts so far
}

type generation struct {
	ids    map[ref]int // of texts
	equal  map[string]int
	texts  map[int]*anchor.Text
	maps   map[[2]int]*anchor.Map
	syntax map[int]*syntax
	lines  map[int][]string
	funcs  map[funcName]int
}

// ref is a string by its place in memory: texts are long, and there are many equal ones.
type ref struct {
	start *byte
	size  int
}

// funcName is a function of a text.
type funcName struct {
	text int
	name string
}

func newGeneration() generation {
	return generation{map[ref]int{}, map[string]int{}, map[int]*anchor.Text{}, map[[2]int]*anchor.Map{}, map[int]*syntax{}, map[int][]string{}, map[funcName]int{}}
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

// id is a number of a text; texts that differ have others.
func (c *Cache) id(text string) int {
	return cached(c.now.ids, c.last.ids, ref{unsafe.StringData(text), len(text)}, func() int {
		return cached(c.now.equal, c.last.equal, text, func() int {
			c.known++
			return c.known
		})
	})
}

func (c *Cache) text(s string) *anchor.Text {
	return cached(c.now.texts, c.last.texts, c.id(s), func() *anchor.Text { return anchor.NewText(s) })
}

func (c *Cache) between(old, now string) *anchor.Map {
	return cached(c.now.maps, c.last.maps, [2]int{c.id(old), c.id(now)}, func() *anchor.Map {
		return anchor.Between(c.text(old), c.text(now))
	})
}

func (c *Cache) syntaxOf(text string) *syntax {
	return cached(c.now.syntax, c.last.syntax, c.id(text), func() *syntax { return newSyntax(text, c.linesOf(text)) })
}

func (c *Cache) linesOf(text string) []string {
	return cached(c.now.lines, c.last.lines, c.id(text), func() []string { return strings.Split(text, "\n") })
}

// funcLine is the line where a function without a receiver starts, 0 if there
// is none.
func (c *Cache) funcLine(text, name string) int {
	return cached(c.now.funcs, c.last.funcs, funcName{c.id(text), name}, func() int {
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
