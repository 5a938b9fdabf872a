// Command synclist is Collections.synchronizedList: every call locks its list.
//
//	atomicity: addAll asks the other list for its size, then for each element,
//	           call by call; another goroutine removes some in between
//	deadlock:  a.addAllLocked(b) and b.addAllLocked(a) lock in opposite orders
//
// (DOSSIER: BTrigger syncList.)
package main

import (
	"fmt"
	"os"
	"sync"
)

func main() {
	switch bug := os.Args[1]; bug {
	case "atomicity":
		copyWhileRemoving()
	case "deadlock":
		copyBothWays()
	default:
		fmt.Fprintln(os.Stderr, "synclist: no bug", bug)
		os.Exit(2)
	}
}

// list locks itself in every method.
type list struct {
	mu    sync.Mutex
	items []int
}

func newList(n int) *list {
	l := &list{}
	for i := range n {
		l.add(i * 7919 % 1000)
	}
	return l
}

func (l *list) add(x int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.items = append(l.items, x)
}

func (l *list) size() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.items)
}

func (l *list) get(i int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i >= len(l.items) {
		panic(fmt.Sprintf("index %d, size %d", i, len(l.items)))
	}
	return l.items[i]
}

func (l *list) clear() {
	l.mu.Lock() // l2
	defer l.mu.Unlock()
	l.items = l.items[:0]
}

// addAll copies the other list, call by call.
func (l *list) addAll(other *list) {
	n := other.size()
	for i := range n {
		l.add(other.get(i)) // l1
	}
}

// addAllLocked copies the other list in one go, both being locked.
func (l *list) addAllLocked(other *list) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.items = append(l.items, other.toArray()...)
}

func (l *list) toArray() []int {
	l.mu.Lock() // l3
	defer l.mu.Unlock()
	return append([]int(nil), l.items...)
}

func (l *list) sort() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.items {
		for j := i; j > 0 && l.items[j] < l.items[j-1]; j-- {
			l.items[j], l.items[j-1] = l.items[j-1], l.items[j]
		}
	}
}

func copyWhileRemoving() {
	from, to := newList(500), newList(0)
	var wg sync.WaitGroup
	wg.Go(func() { to.addAll(from) })
	wg.Go(func() {
		newList(4000).sort() // has something else to do first
		from.clear()
	})
	wg.Wait()
	fmt.Println("copied:", to.size())
}

func copyBothWays() {
	a, b := newList(500), newList(600)
	var wg sync.WaitGroup
	wg.Go(func() { a.addAllLocked(b) })
	wg.Go(func() {
		newList(4000).sort()
		b.addAllLocked(a)
	})
	wg.Wait()
	fmt.Println("copied:", a.size()+b.size())
}
