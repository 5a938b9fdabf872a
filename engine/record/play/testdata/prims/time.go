package main

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

func timers() any {
	var o order
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Add(1)
		t := time.AfterFunc(time.Duration(i%3)*300*time.Microsecond, func() {
			defer wg.Done()
			mu.Lock()
			o.note(i)
			mu.Unlock()
		})
		if i%4 == 0 {
			time.Sleep(200 * time.Microsecond)
			if t.Stop() {
				wg.Done()
				mu.Lock()
				o.note("stopped", i)
				mu.Unlock()
			}
		}
	}
	tick := time.NewTicker(300 * time.Microsecond)
	other := make(chan int)
	go func() {
		for i := range 20 {
			time.Sleep(170 * time.Microsecond)
			other <- i
		}
		close(other)
	}()
	for open := true; open; {
		select {
		case <-tick.C:
			mu.Lock()
			o.note("tick")
			mu.Unlock()
		case v, ok := <-other:
			open = ok
			mu.Lock()
			o.note(v)
			mu.Unlock()
		}
	}
	wg.Wait()
	return o.h
}

// sentTimes are those that timers send.
func sentTimes() any {
	var o order
	t := time.NewTimer(100 * time.Microsecond)
	for i := range 20 {
		sent := <-t.C
		o.note(sent.UnixNano())
		if late := time.Since(sent); late < 0 {
			panic("a timer is early")
		}
		t.Reset(time.Duration(i%3) * 100 * time.Microsecond)
		o.note((<-time.After(50 * time.Microsecond)).UnixNano())
	}
	return o.h
}

// resets moves timers on that may just have fired.
func resets() any {
	var o order
	var mu sync.Mutex
	fired, in := 0, 0
	for range 20 {
		t := time.AfterFunc(150*time.Microsecond, func() {
			mu.Lock()
			fired++
			mu.Unlock()
		})
		for range 3 {
			time.Sleep(40 * time.Microsecond)
			if t.Reset(150 * time.Microsecond) {
				in++
			}
		}
		if t.Stop() {
			in++
		}
		mu.Lock()
		o.note(in, fired)
		mu.Unlock()
	}
	return o.h
}

func contexts() any {
	seen := make([]order, workers)
	crowd(func(w int) {
		for i := range 15 {
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(200+100*w)*time.Microsecond)
			done := make(chan int, 1)
			go func() {
				time.Sleep(time.Duration(i*40) * time.Microsecond)
				done <- i
			}()
			select {
			case <-ctx.Done():
				seen[w].note(ctx.Err())
			case v := <-done:
				seen[w].note(v)
			}
			cancel()
		}
	})
	var o order
	o.note(seen)
	return o.h
}

func random() any {
	seen := make([]order, workers)
	crowd(func(w int) {
		m := map[int]int{}
		for i := range rounds {
			m[i] = rand.IntN(1000)
			if len(m) > 20 {
				for k := range m {
					seen[w].note(k, m[k])
					delete(m, k)
					break
				}
			}
		}
	})
	var o order
	o.note(seen)
	return o.h
}

func spawn() any {
	var n atomic.Int64
	var o order
	var mu sync.Mutex
	var tree func(deep, id int, wg *sync.WaitGroup)
	tree = func(deep, id int, wg *sync.WaitGroup) {
		defer wg.Done()
		mu.Lock()
		o.note(id, n.Add(1))
		mu.Unlock()
		if deep == 0 {
			return
		}
		var own sync.WaitGroup
		own.Add(3)
		for i := range 3 {
			go tree(deep-1, id*3+i, &own)
		}
		own.Wait()
	}
	var wg sync.WaitGroup
	wg.Add(1)
	go tree(5, 1, &wg)
	wg.Wait()
	return o.h
}

func finalizers() any {
	var o order
	var mu sync.Mutex
	crowd(func(w int) {
		for i := range 30 {
			p := new([64]int)
			runtime.SetFinalizer(p, func(*[64]int) {})
			mu.Lock()
			o.note(w, i)
			mu.Unlock()
			if i%10 == w {
				runtime.GC()
			}
		}
	})
	return o.h
}

func web() any {
	var mu sync.Mutex
	var o order
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		o.note(r.URL.Path, len(body))
		mu.Unlock()
		io.WriteString(w, r.URL.Path)
	}))
	defer srv.Close()
	crowd(func(w int) {
		for i := range 10 {
			resp, err := http.Post(srv.URL+"/"+string(rune('a'+w))+string(rune('a'+i)), "text/plain", io.LimitReader(zeros{}, int64(i*3000)))
			if err != nil {
				panic(err)
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
	})
	mu.Lock()
	defer mu.Unlock()
	return o.h
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func pipe() any {
	var o order
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	done := make(chan order)
	go func() {
		c, err := l.Accept()
		if err != nil {
			panic(err)
		}
		var o order
		buf := make([]byte, 100)
		for {
			c.SetReadDeadline(time.Now().Add(200 * time.Microsecond))
			n, err := c.Read(buf)
			o.note(n, errors.Is(err, os.ErrDeadlineExceeded))
			if err == io.EOF {
				done <- o
				return
			}
		}
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		panic(err)
	}
	for i := range 30 {
		c.Write(make([]byte, i*7))
		time.Sleep(time.Duration(i%5*60) * time.Microsecond)
	}
	c.Close()
	o.note(<-done)
	return o.h
}

func tree() any {
	ctx, cancel := context.WithCancel(context.Background())
	var o order
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range 50 {
		child, stop := context.WithCancel(ctx)
		defer stop()
		wg.Add(1)
		context.AfterFunc(child, func() {
			mu.Lock()
			o.note(i)
			mu.Unlock()
			wg.Done()
		})
	}
	cancel()
	wg.Wait()
	return o.h
}

// clock does what the clock says: how often it is read, and what for.
func clock() any {
	var o order
	var mu sync.Mutex
	crowd(func(w int) {
		for i := range rounds / 4 {
			start, n := time.Now(), 0
			for time.Since(start) < time.Duration(i)*100*time.Nanosecond {
				n++
			}
			if n%3 == 0 {
				mu.Lock()
				o.note(w, n, start.UnixNano(), start.String())
				mu.Unlock()
			}
		}
	})
	return o.h
}

// deadlines have often passed when they are set, and often not.
func deadlines() any {
	seen := make([]order, workers)
	crowd(func(w int) {
		for i := range rounds / 2 {
			far, stop := context.WithTimeout(context.Background(), time.Duration(i%40)*25*time.Nanosecond)
			near, cancel := context.WithDeadline(far, time.Now().Add(time.Duration(i%7)*200*time.Nanosecond))
			_, open := near.Deadline()
			seen[w].note(near.Err(), open)
			<-near.Done()
			seen[w].note(context.Cause(near), far.Err())
			cancel()
			stop()
		}
	})
	var o order
	o.note(seen)
	return o.h
}
