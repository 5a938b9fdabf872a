package inject

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/hocket-dev/hocket/internal/process"
)

const (
	holdTime = 200 * time.Millisecond // in which what a program leaves behind may finish
	readTime = 3 * time.Second        // for reading what a program wrote before it ended
)

// output is what a process writes. Its end is that of the process, not of all
// who have inherited its output: a daemon would hold up each run.
type output struct {
	process.Tail
	read, write *os.File
	done        chan struct{} // closed when all is read
}

// newOutput makes the command write to it.
func newOutput(cmd *exec.Cmd) (*output, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("run the program: %w", err)
	}
	o := &output{read: r, write: w, done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = w, w
	go func() {
		defer close(o.done)
		_, _ = io.Copy(&o.Tail, r) // it ends with the file
	}()
	return o, nil
}

// end takes what was written when the process has ended, and ends those who
// hold the output still.
func (o *output) end(r *Result) {
	o.write.Close()
	for start := time.Now(); ; {
		select {
		case <-o.done:
			o.read.Close()
			r.Output = o.String()
			return
		case <-time.After(holdTime):
		}
		if left := process.EndHolders(o.read); len(left) > 0 {
			r.Left = left
		} else if time.Since(start) > readTime {
			r.StillHeld = true
			o.read.Close() // which ends the reading
		}
	}
}
