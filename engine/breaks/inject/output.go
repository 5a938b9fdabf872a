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
	holdTime = 200 * time.Millisecond // in which processes that a program leaves behind may finish
	readTime = 3 * time.Second        // for reading what a program wrote before it ended
)

// output is what a process writes. It ends with the process, not with all that
// have inherited its output: a daemon would delay each run.
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

// end returns what was written when the process has ended, and kills the
// processes that still hold the output.
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
