// Command log4j is a logger with appenders, after log4j 1.2.13.
//
//	deadlock:      a thread that logs takes the logger's lock, then the
//	               appender's; the appender renders a message, under its lock,
//	               whose text logs again: it wants the logger's lock (bug 41214)
//	missed-notify: the dispatcher of the asynchronous appender looks whether the
//	               buffer is empty, and waits, in two lock regions; what is put
//	               in between, with the notification, is missed (bug 38137)
//
// (DOSSIER: BTrigger log4j.)
package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
)

func main() {
	switch bug := os.Args[1]; bug {
	case "deadlock":
		logWhileRendering()
	case "missed-notify":
		logAsynchronously()
	default:
		fmt.Fprintln(os.Stderr, "log4j: no bug", bug)
		os.Exit(2)
	}
}

// logger hands events to its appender, a category's lock being held.
type logger struct {
	mu  sync.Mutex
	out *appender
}

// appender writes events, one at a time.
type appender struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logger) info(msg order) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out.append(msg)
}

func (a *appender) append(msg order) {
	a.mu.Lock() // l1
	defer a.mu.Unlock()
	a.write(msg)
}

// flush renders what is kept for later: not under the logger's lock.
func (a *appender) flush(msgs []order) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, m := range msgs {
		a.write(m)
	}
}

func (a *appender) write(msg order) {
	fmt.Fprintf(&a.text, "%-200s\n", msg)
}

// order is a message whose text is costly, and which says so in the log.
type order struct {
	id  int
	log *logger
}

func (o order) String() string {
	if o.log != nil {
		o.log.level()
	}
	return fmt.Sprint("order ", o.id, " of ", strings.Repeat("item ", 10))
}

// level asks the logger whether it is on.
func (l *logger) level() bool {
	l.mu.Lock() // l2
	defer l.mu.Unlock()
	return l.out != nil
}

func logWhileRendering() {
	l := &logger{out: &appender{}}
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range 2000 {
			l.info(order{id: i})
		}
	})
	wg.Wait()
	wg.Go(func() { l.info(order{id: -1}) })
	wg.Go(func() {
		var text strings.Builder
		for i := range 500 { // works for a while, then flushes
			fmt.Fprintf(&text, "%-200s\n", order{id: i})
		}
		l.out.flush([]order{{id: -2, log: l}})
	})
	wg.Wait()
	fmt.Println("bytes:", l.out.text.Len())
}

// fifo is the bounded buffer between those that log and the dispatcher.
type fifo struct {
	mu     sync.Mutex
	some   *sync.Cond // not empty any more
	space  *sync.Cond // not full any more
	events []string
	closed bool
}

const capacity = 128

func newFIFO() *fifo {
	f := &fifo{}
	f.some, f.space = sync.NewCond(&f.mu), sync.NewCond(&f.mu)
	return f
}

func (f *fifo) empty() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.events) == 0 && !f.closed
}

func (f *fifo) put(event string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.events) == capacity {
		f.space.Wait()
	}
	f.events = append(f.events, event)
	if len(f.events) == 1 { // was empty: somebody may wait
		f.some.Signal()
	}
}

func (f *fifo) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	if len(f.events) == 0 {
		f.some.Signal()
	}
}

// take waits for events and takes them all; nil when closed.
func (f *fifo) take() []string {
	if f.empty() {
		f.waitForSome() // l3
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.events
	f.events = nil
	f.space.Broadcast()
	return all
}

func (f *fifo) waitForSome() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.some.Wait()
}

func logAsynchronously() {
	f := newFIFO()
	var wg sync.WaitGroup
	written := 0
	wg.Go(func() {
		for {
			all := f.take()
			for _, e := range all {
				written += len(strings.Fields(e))
			}
			if all == nil && f.done() {
				return
			}
		}
	})
	for i := range 3000 {
		f.put(order{id: i}.String()) // l4
	}
	f.close()
	wg.Wait()
	fmt.Println("words:", written)
}

func (f *fifo) done() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.closed && len(f.events) == 0
}
