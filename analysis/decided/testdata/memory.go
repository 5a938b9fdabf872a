package m

import (
	"sort"
	"strings"
	"sync"
)

var table = [4]int{1, 2, 3, 4}

var counter int

var names = map[string]int{}

func init() { names["a"] = 1 }

// Loops over numbers and local memory are the goroutine's own.
func sum(n int) int {
	xs := make([]int, n)
	for i := 0; i < n; i++ { // own
		xs[i] = i * i
		if xs[i]%3 == 0 { // own: local memory
			xs[i]++
		}
	}
	if table[n%4] > 2 { // own: never written
		n++
	}
	if names["a"] > 0 { // own: written by init only
		n++
	}
	if counter > 3 { // open: written by others
		counter++
	}
	sort.Slice(xs, func(i, j int) bool { return xs[i] < xs[j] })
	if strings.Contains("abc", "b") && len(xs) > 2 { // own
		n--
	}
	if !(n > 3) || counter == 2 { // open: the second is
		n--
	}
	return n
}

type list struct {
	mu   sync.Mutex
	head *node
	n    int
}

type node struct {
	next *node
	v    int
}

// A list that goroutines share.
func (l *list) find(v int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for n := l.head; n != nil; n = n.next { // open
		if n.v == v { // open
			return true
		}
	}
	return l.n > 0
}

// A tree that one goroutine makes and walks.
type tree struct {
	left, right *tree
	v           int
}

func (t *tree) insert(v int) *tree {
	if t == nil { // own
		return &tree{v: v}
	}
	if v < t.v { // own
		t.left = t.left.insert(v)
	} else {
		t.right = t.right.insert(v)
	}
	return t
}

func walk(n int) int {
	var root *tree
	for i := range n {
		root = root.insert(i * 7 % 13)
	}
	if root != nil { // own
		return root.v
	}
	return 0
}

func main() {
	l := &list{}
	n := 10
	limit := 5
	done := make(chan int, 1)
	go func() {
		for i := 0; i < limit; i++ { // own: limit is set once
			if l.find(i) { // open
				counter++
			}
		}
		n++
		done <- n
	}()
	if n > 3 { // open: the goroutine writes n
		n--
	}
	got := <-done
	if got > 3 { // open: from a channel
		sum(7)
	}
	if sum(8) > 3 { // own: the outcomes in sum tell
		walk(3)
	}
	if walk(9) > 1 { // own
		return
	}
}
