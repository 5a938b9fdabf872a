//go:build hocket_overlay

package poll

import (
	"syscall"
	_ "unsafe" // for linkname
)

// Reads and writes of what the poller watches: each is an operation, whose outcome is
// recorded where a deadline or what had arrived decides it.

//go:linkname hkFollows runtime.hkFollows
var hkFollows bool

//go:linkname hkMode runtime.hkMode
var hkMode uint32

//go:linkname hkGate runtime.hkGate
func hkGate(kind uint32) (do, value uint32)

//go:linkname hkFailed runtime.hkFailed
func hkFailed(kind uint32)

//go:linkname hkFileBegins runtime.hkFileBegins
func hkFileBegins(want uint32)

//go:linkname hkFileWants runtime.hkFileWants
func hkFileWants() (n uint32, known bool)

//go:linkname hkFileEnds runtime.hkFileEnds
func hkFileEnds(late bool, value uint32)

//go:linkname hkFileNap runtime.hkFileNap
func hkFileNap() bool

const (
	hkGo = iota
	hkFail
	hkChosen
	hkFree
)

// hkAll is what a read gets if nothing is recorded of it: all that there is room for.
const hkAll = 1<<32 - 1

func (pd *pollDesc) prepare(mode int, isFile bool) error {
	if hkMode == 0 || pd.runtimeCtx == 0 {
		return pd.hkOrigprepare(mode, isFile)
	}
	do, value := uint32(hkFree), uint32(0)
	if hkFollows {
		do, value = hkGate(hkKindFile)
	}
	if do == hkFail {
		return ErrDeadlineExceeded
	}
	err := pd.hkOrigprepare(mode, isFile)
	switch {
	case do == hkGo:
		value = hkAll
	case do == hkFree && err == ErrDeadlineExceeded:
		hkFailed(hkKindFile)
		return err
	}
	hkFileBegins(value)
	if do != hkFree && err == ErrDeadlineExceeded {
		return nil // it had not passed
	}
	return err
}

func (pd *pollDesc) wait(mode int, isFile bool) error {
	err := pd.hkOrigwait(mode, isFile)
	if hkMode == 0 || err != ErrDeadlineExceeded {
		return err
	}
	if hkFollows && hkFileNap() {
		return nil
	}
	hkFileEnds(true, 0)
	return err
}

// hkRead is a read of a run that follows: it gets as much as the recorded one.
func (fd *FD) hkRead(p []byte) (n int, err error, done bool) {
	want, known := hkFileWants()
	if !known || want == 0 {
		return 0, nil, false
	}
	if want != hkAll {
		p = p[:min(int(want-1), len(p))]
	}
	if len(p) == 0 {
		return 0, nil, false // the end
	}
	for n < len(p) {
		m, err := ignoringEINTRIO(syscall.Read, fd.Sysfd, p[n:])
		if err == syscall.EAGAIN && fd.pd.pollable() {
			if err = fd.pd.waitRead(fd.isFile); err == nil {
				continue
			}
		}
		if err != nil || m == 0 {
			return n, fd.eofError(n, err), true
		}
		n += m
	}
	return n, nil, true
}

// hkReadDone notes how much a read got.
func (fd *FD) hkReadDone(n, room int, err error) {
	if hkMode != 0 && err == nil && n < room && fd.pd.pollable() {
		hkFileEnds(false, uint32(n)+1)
	}
}
