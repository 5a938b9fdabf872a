package core

import (
	"bytes"
	"context"
	"debug/dwarf"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"github.com/go-delve/delve/pkg/proc"
	"github.com/go-delve/delve/pkg/proc/core"
)

// Core is an open core file.
type Core struct {
	Executable string
	Checked    bool  // the executable is known to be the build that made the core
	Size       int64 // of the core, in bytes
	Program
}

// Program is a program that stands still, to be read.
type Program struct {
	group  *proc.TargetGroup
	target *proc.Target
	live   bool        // a process, not a core
	debug  *dwarf.Data // of the executable; nil: not needed so far

	reading sync.Mutex  // held by what calls Delve, which is not for several at once
	left    atomic.Bool // a call was left behind by a cancel, and may still read
}

// IsFile reports whether a file is a core. One that is not there, or is no regular file,
// is none.
func IsFile(name string) (bool, error) {
	st, err := os.Stat(name)
	if err != nil || !st.Mode().IsRegular() {
		return false, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return false, fmt.Errorf("read %s: %w", name, err)
	}
	defer f.Close()
	head := make([]byte, elfHead)
	n, _ := io.ReadFull(f, head)
	return isCore(head[:n]), nil
}

// isCore reports whether a file's first bytes are those of a core.
func isCore(head []byte) bool {
	const typeAt, core = 16, 4 // as in debug/elf: e_type, ET_CORE
	return len(head) > typeAt+1 && bytes.HasPrefix(head, []byte("\x7fELF")) && (head[typeAt] == core || head[typeAt+1] == core)
}

// Open opens a core file with its executable; "" is the one that the core names. Errors
// name the file.
func Open(ctx context.Context, file, exe string) (*Core, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read the core: %w", err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read the core: %w", err)
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("read %s: no regular file; a core is read from many places, so save it in a file first", file)
	}
	h, err := readHeader(io.NewSectionReader(f, 0, st.Size()), st.Size())
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	exe, checked, err := findExecutable(h, exe)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	c := &Core{Executable: exe, Checked: checked, Size: st.Size()}
	err = c.guard(ctx, func() error {
		group, err := core.OpenCore(file, exe, nil)
		if err != nil {
			return err
		}
		c.group, c.target = group, group.Selected
		return nil
	})
	if err != nil {
		c.abandon()
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	return c, nil
}

// Close lets go of the files, or of the process. What a cancel has left behind reads them
// to its end first; that is not waited for.
func (p *Program) Close() {
	if p.group == nil {
		return
	}
	if p.left.Load() {
		go p.detach()
		return
	}
	p.detach()
}

// abandon closes a program of which nobody knows whether it was opened: a cancel may come
// just when it was.
func (p *Program) abandon() {
	go func() {
		p.reading.Lock()
		opened := p.group != nil
		p.reading.Unlock()
		if opened {
			p.detach()
		}
	}()
}

func (p *Program) detach() {
	p.reading.Lock()
	defer p.reading.Unlock()
	p.group.Detach(!p.live) // of a core: closes it
}

// guard runs what calls Delve, one after the other: its panics are errors, and a cancel is
// answered at once.
func (p *Program) guard(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	go func() {
		p.reading.Lock()
		err := context.Cause(ctx)
		if err == nil {
			err = unpanicked(f)
		}
		p.reading.Unlock()
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		p.left.Store(true)
		return context.Cause(ctx)
	}
}

func unpanicked(f func() error) (err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("it is damaged, or of a kind that can't be read: %v", e)
		}
	}()
	return f()
}

var errNoState = errors.New("no goroutine is in it")
