package process

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/hocket-dev/hocket/engine/rt"
	"github.com/hocket-dev/hocket/engine/trace"
)

// outside says why a run's first external event can't be controlled, with its
// place: "TestX starts a subprocess (exec.go:12); its timing can't be
// controlled".
func (p *Runner) outside(f *runFile) (string, error) {
	what := f.word(rt.WExtWhat)
	if what == 0 {
		return "", nil
	}
	t, err := p.stackTrace(f.stack(f.word(rt.WExtStack)))
	if err != nil {
		return "", fmt.Errorf("name an outside event: %w", err)
	}
	doing, whose := "", "its timing"
	switch what {
	case rt.ExtSubprocess:
		doing = "starts a subprocess"
	case rt.ExtSyscall:
		doing = t.callOutside()
	case rt.ExtSignal:
		doing, whose = "receives a signal", "its time"
	case rt.ExtLoop:
		doing, whose = "loops or computes for long without a point where control could switch", "what runs beside it"
	}
	place := ""
	if fr, ok := t.UserFrame(1); ok {
		place = fmt.Sprintf(" (%s:%d)", filepath.Base(fr.File), fr.Line)
	}
	return fmt.Sprintf("%s %s%s; %s can't be controlled", p.bin.Target.Entry, doing, place, whose), nil
}

// oneStack is a trace that has nothing but a stack, of id 1.
type oneStack struct{ *trace.Trace }

func (p *Runner) stackTrace(pcs []uint64) (oneStack, error) {
	expanded, err := p.sym.Frames(pcs)
	if err != nil {
		return oneStack{}, err
	}
	meta, err := p.sym.Meta()
	if err != nil {
		return oneStack{}, err
	}
	var frames []trace.Frame
	for _, fs := range expanded {
		frames = append(frames, fs...)
	}
	return oneStack{&trace.Trace{StdRoot: meta.StdRoot, Stacks: [][]trace.Frame{nil, frames}}}, nil
}

// callOutside says what the program does in a system call, by the function of
// the standard library through which it made it.
func (t oneStack) callOutside() string {
	user, found := t.UserFrame(1)
	last := "a system call"
	for _, f := range t.Stack(1) {
		if found && f == user {
			break
		}
		if f.Func != "" && !strings.HasPrefix(f.Func, "runtime.") {
			last = f.Func
		}
	}
	switch {
	case strings.HasPrefix(last, "os/exec."), strings.HasPrefix(last, "os.StartProcess"):
		return "starts a subprocess"
	case strings.HasPrefix(last, "os.(*Process)"):
		return "waits for a subprocess"
	}
	return "waits in " + last
}

// stack returns the relative return addresses of a stack by its id.
func (f *runFile) stack(id uint64) []uint64 {
	used := uint64(f.used(rt.WStackOff))
	if id == 0 || id >= used {
		return nil
	}
	word := func(i uint64) uint64 { return binary.LittleEndian.Uint64(f.entry(rt.WStackOff, 8, int(i))) }
	var pcs []uint64
	for i := id + 1; i <= id+word(id) && i < used; i++ {
		pcs = append(pcs, word(i))
	}
	return pcs
}
