package process_test

import (
	"context"
	"testing"

	"github.com/hocket-dev/hocket/engine/run"
)

// A run tells whether one of its goroutines could run beside another, and whether
// something was made by which one could tell when memory is collected.
func TestAlone(t *testing.T) {
	const program = `package odd

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime"
	"sync"
	"testing"
	"time"
)

type thing struct{ next *thing }

var early = new(thing)

func init() { runtime.SetFinalizer(early, func(*thing) {}) }

func TestPlain(t *testing.T) {}

func TestFile(t *testing.T) { os.ReadFile(os.Args[0] + ".no") }

func TestSubtests(t *testing.T) {
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) { t.Run("c", func(*testing.T) {}) })
	}
}

func TestParallel(t *testing.T) {
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) { t.Parallel() })
	}
}

func TestGo(t *testing.T) {
	done := make(chan bool)
	go close(done)
	<-done
}

func TestTimer(t *testing.T) {
	done := make(chan bool)
	time.AfterFunc(0, func() { close(done) })
	<-done
}

func TestSelect(t *testing.T) {
	a, b := make(chan int, 1), make(chan int, 1)
	a <- 1
	b <- 1
	select {
	case <-a:
	case <-b:
	}
}

func TestPoll(t *testing.T) {
	a := make(chan int, 1)
	a <- 1
	select {
	case <-a:
	default:
	}
}

func TestReflect(t *testing.T) {
	a := make(chan int, 2)
	a <- 1
	recv := reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(a)}
	send := reflect.SelectCase{Dir: reflect.SelectSend, Chan: reflect.ValueOf(a), Send: reflect.ValueOf(2)}
	reflect.Select([]reflect.SelectCase{recv, send})
}

func TestNow(t *testing.T) { time.NewTimer(0).Stop() }

var pool sync.Pool

func TestPool(t *testing.T) { pool.Put(new(thing)) }

func TestPrint(t *testing.T) { fmt.Fprintln(io.Discard, "a") }

func TestFinalizer(t *testing.T) { runtime.SetFinalizer(new(thing), func(*thing) {}) }

func TestRandom(t *testing.T) { rand.Read(make([]byte, 4)) }

func TestCleanup(t *testing.T) { runtime.AddCleanup(new(thing), func(int) {}, 1) }
`
	wants := map[string]struct{ alone, awaits bool }{
		"TestPlain": {true, false}, "TestFile": {true, false}, "TestRandom": {true, false}, "TestSubtests": {true, false},
		"TestParallel": {}, "TestGo": {}, "TestTimer": {}, "TestSelect": {}, "TestReflect": {}, "TestNow": {}, "TestPool": {},
		"TestPoll": {true, false}, "TestPrint": {true, false},
		"TestFinalizer": {true, true}, "TestCleanup": {true, true},
	}
	var names []string
	for name := range wants {
		names = append(names, name)
	}
	for entry, p := range programEntries(t, program, names...) {
		for _, record := range []run.Record{run.Light, run.Every} {
			r, err := p.Run(context.Background(), run.Spec{Strategy: run.Replay, Record: record})
			if err != nil {
				t.Fatal(err)
			}
			if want := wants[entry]; r.Alone != want.alone || r.Awaits != want.awaits || !r.Collects || r.Random != (entry == "TestRandom") {
				t.Errorf("%s, record %v: alone %v, awaits collection %v, collects %v, random %v; want %+v", entry, record, r.Alone, r.Awaits, r.Collects, r.Random, want)
			}
		}
	}
}
