// Package odd holds programs of which one schedule fails, by what no operation
// of sync, sync/atomic or a channel tells. In none of them it is the first one
// tried.
package odd

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// both runs f and g side by side and waits for them.
func both(f, g func()) {
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { defer wg.Done(); f() }()
	go func() { defer wg.Done(); g() }()
	wg.Wait()
}

func hit(t *testing.T, is bool) {
	if is {
		t.Error("hit")
	}
}

type counter struct {
	mu sync.Mutex
	n  int
}

func (c counter) get() int { c.mu.Lock(); defer c.mu.Unlock(); return c.n }

type hidden struct {
	a, b  int
	inner struct{ list []int }
	m     map[string]int
}

func TestMapsClone(t *testing.T) {
	var mu sync.Mutex
	m := map[int]int{1: 1}
	both(func() {
		mu.Lock()
		c := maps.Clone(m)
		mu.Unlock()
		if c[1] == 2 {
			t.Error("2")
		}
	}, func() { mu.Lock(); m[1] = 2; mu.Unlock() })
}

func TestMapReplaceKey(t *testing.T) {
	var mu sync.Mutex
	m := map[int]struct{}{1: {}}
	both(func() {
		mu.Lock()
		_, ok := m[2]
		mu.Unlock()
		if ok {
			t.Error("2")
		}
	}, func() { mu.Lock(); delete(m, 1); m[2] = struct{}{}; mu.Unlock() })
}

func TestMapRangeKey(t *testing.T) {
	var mu sync.Mutex
	m := map[int]struct{}{1: {}}
	both(func() {
		mu.Lock()
		k := 0
		for k = range m {
		}
		mu.Unlock()
		if k == 2 {
			t.Error("2")
		}
	}, func() { mu.Lock(); delete(m, 1); m[2] = struct{}{}; mu.Unlock() })
}

func TestStructCompare(t *testing.T) {
	type S struct{ a, b int32 }
	var mu sync.Mutex
	s := &S{1, 1}
	both(func() {
		mu.Lock()
		eq := *s == S{1, 2}
		mu.Unlock()
		if eq {
			t.Error("equal")
		}
	}, func() { mu.Lock(); s.b = 2; mu.Unlock() })
}

func TestArrayCompare(t *testing.T) {
	var mu sync.Mutex
	s := new([8]byte)
	both(func() {
		mu.Lock()
		eq := *s == [8]byte{3: 7}
		mu.Unlock()
		if eq {
			t.Error("equal")
		}
	}, func() { mu.Lock(); s[3] = 7; mu.Unlock() })
}

func TestRecvInto(t *testing.T) {
	var mu sync.Mutex
	x := 0
	ch := make(chan int, 1)
	ch <- 5
	both(func() { mu.Lock(); v := x; mu.Unlock(); hit(t, v == 5) }, func() { mu.Lock(); x = <-ch; mu.Unlock() })
}

func TestRecvElement(t *testing.T) {
	var mu sync.Mutex
	x := make([]int, 3)
	ch := make(chan int, 1)
	ch <- 5
	both(func() { mu.Lock(); v := x[1]; mu.Unlock(); hit(t, v == 5) }, func() {
		mu.Lock()
		select {
		case x[1] = <-ch:
		}
		mu.Unlock()
	})
}

func TestMapRangeInto(t *testing.T) {
	var mu sync.Mutex
	k, x := "", 0
	m := map[string]int{"a": 5}
	both(func() { mu.Lock(); v := k; mu.Unlock(); hit(t, v == "a") }, func() {
		mu.Lock()
		for k, x = range m {
		}
		mu.Unlock()
	})
	_ = x
}

func TestSprintPointer(t *testing.T) {
	type S struct{ A, B int }
	var mu sync.Mutex
	s := &S{}
	both(func() {
		mu.Lock()
		x := fmt.Sprint(s)
		mu.Unlock()
		if x == "&{0 1}" {
			t.Error(x)
		}
	}, func() { mu.Lock(); s.B = 1; mu.Unlock() })
}

func TestSprintUnexported(t *testing.T) {
	var mu sync.Mutex
	s := &hidden{}
	both(func() {
		mu.Lock()
		x := fmt.Sprintf("%+v", s)
		mu.Unlock()
		if strings.Contains(x, "b:1") {
			t.Error(x)
		}
	}, func() { mu.Lock(); s.b = 1; mu.Unlock() })
}

func TestSprintDeep(t *testing.T) {
	var mu sync.Mutex
	s := &hidden{}
	s.inner.list = []int{0, 0}
	both(func() {
		mu.Lock()
		x := fmt.Sprintf("%v", s)
		mu.Unlock()
		if strings.Contains(x, "[0 1]") {
			t.Error(x)
		}
	}, func() { mu.Lock(); s.inner.list[1] = 1; mu.Unlock() })
}

func TestSprintBytes(t *testing.T) {
	var mu sync.Mutex
	s := []byte("abc")
	both(func() {
		mu.Lock()
		x := fmt.Sprintf("%s", s)
		mu.Unlock()
		if x == "axc" {
			t.Error(x)
		}
	}, func() { mu.Lock(); s[1] = 'x'; mu.Unlock() })
}

func TestSprintMutex(t *testing.T) {
	type S struct{ mu sync.Mutex }
	s := &S{}
	both(func() {
		x := fmt.Sprintf("%v", s)
		if strings.Contains(x, "1") {
			t.Error(x)
		}
	}, func() { s.mu.Lock(); s.mu.Unlock() })
}

func TestSprintSliceOfSlices(t *testing.T) {
	var mu sync.Mutex
	s := [][]int{{0}, {0}}
	both(func() {
		mu.Lock()
		x := fmt.Sprintf("%#v", s)
		mu.Unlock()
		if strings.Contains(x, "{7}") {
			t.Error(x)
		}
	}, func() { mu.Lock(); s[1][0] = 7; mu.Unlock() })
}

func TestSyncMapRangeLater(t *testing.T) {
	var m sync.Map
	m.Store(1, 1)
	m.Store(2, 1)
	gate := make(chan int, 1)
	back := make(chan int, 1)
	both(func() {
		first := true
		m.Range(func(k, v any) bool {
			if first {
				first = false
				gate <- 1
				select {
				case <-back:
				default:
				}
				return true
			}
			if v == 2 {
				t.Error("2")
			}
			return true
		})
	}, func() {
		<-gate
		m.Store(1, 2)
		m.Store(2, 2)
		back <- 1
	})
}

func TestSyncMapRangeEnd(t *testing.T) {
	var m sync.Map
	var gate atomic.Bool
	m.Store(1, 1)
	both(func() {
		n := 0
		m.Range(func(k, v any) bool { n++; gate.Load(); return true })
		hit(t, n == 2)
	}, func() {
		if gate.CompareAndSwap(false, true) {
			m.Store(2, 1)
		}
	})
}

func TestOnceValue(t *testing.T) {
	var a atomic.Int64
	f := sync.OnceValue(func() int64 { return a.Load() })
	var wg sync.WaitGroup
	wg.Add(3)
	go func() { defer wg.Done(); f() }()
	go func() {
		defer wg.Done()
		if f() == 1 {
			t.Error("1")
		}
	}()
	go func() { defer wg.Done(); a.Store(1) }()
	wg.Wait()
}

func TestLockCopied(t *testing.T) {
	type C struct {
		mu sync.Mutex
		n  int
	}
	c := &C{}
	both(func() { c.mu.Lock(); c.mu.Unlock() }, func() {
		d := *c
		d.mu.Lock()
		d.mu.Unlock()
	})
}

func TestLockByValueMethod(t *testing.T) {
	c := &counter{}
	both(func() { c.mu.Lock(); c.mu.Unlock() }, func() { c.get() })
}

func TestWaitGroupCopied(t *testing.T) {
	wg := new(sync.WaitGroup)
	both(func() { wg.Add(1); wg.Done() }, func() {
		d := *wg
		d.Wait()
	})
}

func TestCopySent(t *testing.T) {
	c := &counter{}
	ch := make(chan counter, 1)
	both(func() { c.mu.Lock(); c.mu.Unlock() }, func() {
		ch <- *c
		d := <-ch
		d.mu.Lock()
	})
}

func TestCopyRanged(t *testing.T) {
	cs := make([]counter, 2)
	both(func() { cs[1].mu.Lock(); cs[1].mu.Unlock() }, func() {
		for _, c := range cs {
			c.mu.Lock()
		}
	})
}

func TestRWMutexCopied(t *testing.T) {
	type C struct {
		mu sync.RWMutex
		x  [9]int
	}
	c := &C{}
	both(func() { c.mu.RLock(); c.mu.RUnlock() }, func() {
		d := *c
		d.mu.Lock()
	})
}

func TestOverwritten(t *testing.T) {
	c := &counter{}
	var n atomic.Int64
	both(func() { c.mu.Lock(); n.Add(1); c.mu.Unlock() }, func() {
		n.Add(1)
		*c = counter{}
	})
}

func TestTimeAfter(t *testing.T) {
	c := make(chan int, 1)
	go func() { c <- 1 }()
	select {
	case <-c:
	case <-time.After(time.Second):
		t.Error("hit")
	}
}

func TestNewTimer(t *testing.T) {
	tm := time.NewTimer(time.Second)
	done := make(chan int, 1)
	go func() { done <- 1 }()
	select {
	case <-tm.C:
		t.Error("hit")
	case <-done:
	}
}

func TestTimerStop(t *testing.T) {
	tm := time.NewTimer(time.Second)
	done := make(chan int)
	go func() { close(done) }()
	<-done
	if !tm.Stop() {
		t.Error("hit")
	}
}

func TestTicker(t *testing.T) {
	tk := time.NewTicker(time.Second)
	defer tk.Stop()
	done := make(chan int, 1)
	go func() { done <- 1 }()
	select {
	case <-tk.C:
		t.Error("hit")
	case <-done:
	}
}

func TestWithTimeout(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	done := make(chan int, 1)
	go func() { done <- 1 }()
	select {
	case <-ctx.Done():
		t.Error("hit")
	case <-done:
	}
}

func TestAfterFunc(t *testing.T) {
	var n atomic.Int64
	tm := time.AfterFunc(time.Second, func() { n.Store(1) })
	done := make(chan int)
	go func() { close(done) }()
	<-done
	tm.Stop()
	if n.Load() == 1 {
		t.Error("hit")
	}
}

// delete of an absent key leaves the other elements: what was there before is
// still told by len.
func TestDeleteOfAbsent(t *testing.T) {
	var mu sync.Mutex
	set := map[string]int{"a": 1}
	done := make(chan int)
	go func() {
		mu.Lock()
		delete(set, "b")
		mu.Unlock()
		mu.Lock()
		if len(set) == 0 {
			t.Error("hit")
		}
		mu.Unlock()
		close(done)
	}()
	mu.Lock()
	delete(set, "a")
	set["b"] = 1
	mu.Unlock()
	<-done
}

// Go's own code tells race detectors that Add from 0 races with Wait, if Wait
// has to wait.
func TestAddBesideWait(t *testing.T) {
	var wg sync.WaitGroup
	done := make(chan int)
	go func() {
		wg.Wait()
		close(done)
	}()
	wg.Add(1)
	wg.Done()
	<-done
}
