package native

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// idleness tells for how long a process has not used the processor. It needs
// /proc; elsewhere no process counts as idle.
type idleness struct {
	pid  int
	used int64 // ticks of 10 ms
	last time.Time
}

// since is how long the process has been idle at now. A tick now and then is
// the Go runtime's own.
func (i *idleness) since(now time.Time) time.Duration {
	used, ok := ticks(i.pid)
	if !ok || used > i.used+1 {
		i.used, i.last = used, now
	}
	return now.Sub(i.last)
}

// ticks is the processor time of a process, as the kernel counts it.
func ticks(pid int) (int64, bool) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	_, rest, _ := bytes.Cut(data[bytes.LastIndexByte(data, ')')+1:], []byte(" ")) // the name may have anything
	f := bytes.Fields(rest)
	if len(f) < 13 {
		return 0, false
	}
	user, err1 := strconv.ParseInt(string(f[11]), 10, 64)
	system, err2 := strconv.ParseInt(string(f[12]), 10, 64)
	return user + system, err1 == nil && err2 == nil
}
