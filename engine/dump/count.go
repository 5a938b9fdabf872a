package dump

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	countLine = regexp.MustCompile(`^\s*(\d+) @( 0x[0-9a-f]+)*$`)
	countCall = regexp.MustCompile(`^\s*#\s+0x[0-9a-f]+\s+(\S+)\+0x[0-9a-f]+\s+(\S.*):(\d+)$`)
)

// openCount is a goroutine profile in its text form with counts (debug=1).
type openCount struct {
	all []Goroutine
	odd int
}

func (o *openCount) add(text string) bool {
	switch m := countLine.FindStringSubmatch(text); {
	case m != nil:
		n, err := strconv.Atoi(m[1])
		if err != nil || n <= 0 {
			n = 1
		}
		if len(o.all) < maxGroups {
			o.all = append(o.all, Goroutine{Count: n})
		}
		o.odd = 0
		return true
	case strings.TrimSpace(text) == "" || strings.HasPrefix(text, "# labels:"):
		return true
	}
	m := countCall.FindStringSubmatch(text)
	if m == nil || len(o.all) == 0 {
		o.odd++
		return o.odd <= maxOdd
	}
	if g := &o.all[len(o.all)-1]; len(g.Frames) < maxDepth {
		g.Frames = append(g.Frames, Frame{Func: m[1], File: m[2], Line: atoi(m[3])})
	}
	o.odd = 0
	return true
}

func (t *text) closeCount() {
	o := t.counts
	t.counts = nil
	if o == nil || t.now == nil {
		return
	}
	for _, g := range o.all {
		g.Reason = reasonOf(g.Frames)
		t.folder.Add(g)
	}
	t.endState()
}

// reasonOf tells from the standard library's calls what a goroutine waits for, where
// the format does not say so: "" if they don't tell.
func reasonOf(frames []Frame) string {
	for _, f := range frames {
		if strings.HasPrefix(f.Func, "runtime/pprof.") {
			return "running" // it writes the profile
		}
	}
	for _, f := range frames {
		if !f.std() {
			break
		}
		if r, ok := waits[f.Func]; ok {
			return r
		}
	}
	return ""
}

// waits are the functions in which goroutines wait, and the runtime's words for that.
var waits = map[string]string{
	"runtime.chanrecv1": "chan receive", "runtime.chanrecv2": "chan receive", "runtime.chanrecv": "chan receive",
	"runtime.chansend1": "chan send", "runtime.chansend": "chan send",
	"runtime.selectgo": "select", "runtime.block": "select (no cases)",
	"sync.runtime_SemacquireMutex": "sync.Mutex.Lock", "internal/sync.runtime_SemacquireMutex": "sync.Mutex.Lock",
	"sync.runtime_SemacquireRWMutexR": "sync.RWMutex.RLock", "sync.runtime_SemacquireRWMutex": "sync.RWMutex.Lock",
	"sync.runtime_SemacquireWaitGroup": "sync.WaitGroup.Wait", "sync.runtime_Semacquire": "semacquire",
	"sync.runtime_notifyListWait": "sync.Cond.Wait", "time.Sleep": "sleep",
	"internal/poll.runtime_pollWait": "IO wait",
}
