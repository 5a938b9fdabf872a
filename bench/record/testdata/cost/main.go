// Command cost does a fixed amount of one kind of work, named by its argument.
package main

import (
	"container/list"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

var programs = []struct {
	name string
	run  func() any
}{
	{"numeric", numeric}, {"pipeline", pipeline}, {"lru", lru}, {"workers", workers}, {"json", encode}, {"store", store},
	{"rwmap", rwMap}, {"syncmap", syncMap}, {"http", web}, {"atomics", atomics}, {"config", config}, {"clock", clock},
}

func main() {
	for _, p := range programs {
		switch {
		case len(os.Args) < 2:
			fmt.Println(p.name)
		case p.name == os.Args[1]:
			fmt.Println(p.run())
		}
	}
}

// both runs f twice at once.
func both(f func(w int)) {
	var wg sync.WaitGroup
	for w := range 2 {
		wg.Go(func() { f(w) })
	}
	wg.Wait()
}

// numeric is arithmetic, with a lock now and then.
func numeric() any {
	var mu sync.Mutex
	sum := 0.0
	both(func(w int) {
		for i := range 100_000 {
			x := float64(i + w)
			for range 500 {
				x = math.Sqrt(x*x + 1)
			}
			mu.Lock()
			sum += x
			mu.Unlock()
		}
	})
	return sum
}

// pipeline passes numbers through four stages.
func pipeline() any {
	first := make(chan int, 64)
	go func() {
		for i := range 500_000 {
			first <- i
		}
		close(first)
	}()
	c := first
	for range 2 {
		in, out := c, make(chan int, 64)
		go func() {
			for v := range in {
				out <- v + 1
			}
			close(out)
		}()
		c = out
	}
	sum := 0
	for v := range c {
		sum += v
	}
	return sum
}

// lru is a cache with many small functions behind one lock.
func lru() any {
	type entry struct{ k, v int }
	var mu sync.Mutex
	order, at := list.New(), map[int]*list.Element{}
	get := func(k int) int {
		mu.Lock()
		defer mu.Unlock()
		if e := at[k]; e != nil {
			order.MoveToFront(e)
			return e.Value.(entry).v
		}
		at[k] = order.PushFront(entry{k, k * k})
		if order.Len() > 1000 {
			last := order.Back()
			delete(at, last.Value.(entry).k)
			order.Remove(last)
		}
		return k * k
	}
	var total atomic.Int64
	both(func(w int) {
		x, sum := uint32(w+1), 0
		for range 1_500_000 {
			x = x*1664525 + 1013904223
			sum += get(int(x>>16) % 1500)
		}
		total.Add(int64(sum))
	})
	return total.Load()
}

// workers take tasks of some microseconds each.
func workers() any {
	tasks, results := make(chan int, 16), make(chan int, 16)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for t := range tasks {
				n := 0
				for i := range 4000 {
					n += i * t % 7
				}
				results <- n
			}
		})
	}
	go func() {
		for i := range 100_000 {
			tasks <- i
		}
		close(tasks)
		wg.Wait()
		close(results)
	}()
	sum := 0
	for r := range results {
		sum += r
	}
	return sum
}

// encode marshals, with the pools that encoding/json and fmt use.
func encode() any {
	type item struct {
		Name string
		Tags []string
		N    map[string]int
	}
	var total atomic.Int64
	both(func(w int) {
		for i := range 100_000 {
			b, err := json.Marshal(item{fmt.Sprint("item ", i), []string{"a", "b"}, map[string]int{"x": i, "y": w}})
			if err != nil {
				panic(err)
			}
			total.Add(int64(len(b)))
		}
	})
	return total.Load()
}

// store is a log of values with an index in memory, as key-value stores have it: two
// goroutines write and read.
func store() any {
	f, err := os.CreateTemp("", "cost")
	if err != nil {
		panic(err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	type place struct{ at, size int64 }
	var mu sync.RWMutex
	index, end := map[string]place{}, int64(0)
	put := func(key string, value []byte) {
		rec := binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(value))
		rec = append(append(rec, key...), value...)
		mu.Lock()
		defer mu.Unlock()
		if _, err := f.WriteAt(rec, end); err != nil {
			panic(err)
		}
		index[key] = place{end, int64(len(rec))}
		end += int64(len(rec))
	}
	get := func(key string) bool {
		mu.RLock()
		p, ok := index[key]
		mu.RUnlock()
		if !ok {
			return false
		}
		rec := make([]byte, p.size)
		if _, err := f.ReadAt(rec, p.at); err != nil {
			panic(err)
		}
		return crc32.ChecksumIEEE(rec[4+len(key):]) == binary.LittleEndian.Uint32(rec)
	}
	var good atomic.Int64
	both(func(w int) {
		value := make([]byte, 512)
		for i := range 40_000 {
			value[i%512]++
			put(fmt.Sprint("key", i*7%3000+w), value)
			for j := range 4 {
				if get(fmt.Sprint("key", (i+j*j)%3000)) {
					good.Add(1)
				}
			}
		}
	})
	return good.Load() > 0
}

// rwMap is a map behind a RWMutex, mostly read.
func rwMap() any {
	var mu sync.RWMutex
	m := map[int]int{}
	var total atomic.Int64
	both(func(w int) {
		sum := 0
		for i := range 2_000_000 {
			if i%100 == 0 {
				mu.Lock()
				m[i%5000] = i
				mu.Unlock()
			}
			mu.RLock()
			sum += m[i%5000]
			mu.RUnlock()
		}
		total.Add(int64(sum))
	})
	return total.Load()
}

// syncMap is a sync.Map, mostly read.
func syncMap() any {
	var m sync.Map
	n := atomic.Int64{}
	both(func(w int) {
		for i := range 1_000_000 {
			if i%100 == 0 {
				m.Store(i%5000, w)
			}
			if _, ok := m.Load(i % 5000); ok && i%1000 == 0 {
				n.Add(1)
			}
		}
	})
	return n.Load() > 0
}

// web serves requests over the loopback.
func web() any {
	var mu sync.Mutex
	hits := map[string]int{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		hits[r.URL.Path]++
		n := hits[r.URL.Path]
		mu.Unlock()
		fmt.Fprintf(w, "%s %d\n", r.URL.Path, n)
	}))
	defer srv.Close()
	both(func(w int) {
		for i := range 5_000 {
			resp, err := http.Get(fmt.Sprint(srv.URL, "/", i%10))
			if err != nil {
				panic(err)
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
	})
	return len(hits)
}

// atomics is nothing but atomic operations on shared numbers.
func atomics() any {
	var a, b atomic.Int64
	both(func(w int) {
		for range 2_000_000 {
			a.Add(1)
			if b.Load() < 1_000_000 {
				b.Add(1)
			}
		}
	})
	return a.Load()
}

// config reads a pointer that is stored once, between computations.
func config() any {
	type conf struct{ factor int }
	var p atomic.Pointer[conf]
	p.Store(&conf{3})
	var total atomic.Int64
	both(func(w int) {
		sum := 0
		for i := range 3_000_000 {
			n := p.Load().factor
			for j := range 50 {
				sum += j * n % (i + 1)
			}
		}
		total.Add(int64(sum))
	})
	return total.Load()
}

// clock reads the clock all the time.
func clock() any {
	var far atomic.Int64
	both(func(w int) {
		start := time.Now()
		for range 2_000_000 {
			if time.Since(start) > time.Hour {
				far.Add(1)
			}
		}
	})
	return far.Load()
}
