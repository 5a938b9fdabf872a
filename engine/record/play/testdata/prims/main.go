// Command prims does things with one primitive of synchronisation, named by its
// argument, and prints what depends on the order in which goroutines came.
package main

import (
	"fmt"
	"hash/fnv"
	"os"
	"sort"
	"strings"
	"sync"
)

// order is a digest of who came when. It is no operation itself: who notes something
// holds what is tried.
type order struct{ h uint64 }

func (o *order) note(v ...any) {
	f := fnv.New64a()
	fmt.Fprint(f, o.h, v)
	o.h = f.Sum64()
}

const (
	workers = 4
	rounds  = 200
)

// crowd runs the workers and waits for them.
func crowd(f func(w int)) {
	var wg sync.WaitGroup
	for w := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			f(w)
		}()
	}
	wg.Wait()
}

var programs = map[string]func() any{
	"mutex": mutex, "trylock": tryLock, "rwmutex": rwMutex, "once": once, "cond": cond, "waitgroup": waitGroup, "groupreuse": groupReuse, "map": syncMap, "pool": pool,
	"channels": channels, "select": selects, "default": defaults, "len": lengths, "close": closes, "reflect": reflects,
	"methods": methods, "functions": functions, "value": values, "spin": spin,
	"timers": timers, "sent": sentTimes, "resets": resets, "contexts": contexts, "random": random, "spawn": spawn, "finalizers": finalizers, "panics": panics,
	"clock": clock, "deadlines": deadlines, "http": web, "pipe": pipe, "tree": tree,
}

func main() {
	if len(os.Args) < 2 {
		var names []string
		for n := range programs {
			names = append(names, n)
		}
		sort.Strings(names)
		fmt.Println(strings.Join(names, " "))
		return
	}
	fmt.Println(programs[os.Args[1]]())
}
