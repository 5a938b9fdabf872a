package process

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// A guard sees to it that processes do not outlive this one. Two means, since
// each leaves a gap:
//
//   - a sentinel: a shell that reads from a pipe which groups are running, and
//     kills those when the pipe ends, which the kernel does for whoever held
//     it. It gets at what the processes started themselves, on any Unix; a
//     process that was started but not yet told of is its gap.
//   - on Linux, the kernel's parent death signal. It reaches the process itself
//     only. It comes when the *thread* that started the process ends, and the
//     Go runtime ends a thread when a goroutine that is locked to it does
//     (golang.org/issue/27505). So all are started by one goroutine, which
//     stays locked to its thread as long as the guard lasts.
type guard struct {
	starts chan func()
	closed chan struct{}
	thread sync.WaitGroup

	mu       sync.Mutex // of writes to the pipe
	pipe     *os.File   // nil if there is no sentinel
	sentinel *exec.Cmd
}

type guardKey struct{}

func guardOf(ctx context.Context) *guard {
	g, _ := ctx.Value(guardKey{}).(*guard)
	return g
}

// Guard returns a context in which processes end with this one. Call done when
// they have ended; those that have not are killed. Inside another guard it
// does nothing. What this process starts from then on leaves no core files: programs that
// are meant to fail, a hundred times, would fill the user's folder, and write over a core
// that is there.
func Guard(ctx context.Context) (guarded context.Context, done func()) {
	if guardOf(ctx) != nil {
		return ctx, func() {}
	}
	leaveNoCores()
	g := &guard{starts: make(chan func()), closed: make(chan struct{})}
	g.post() // without a shell there is still the kernel's signal
	g.thread.Go(g.serve)
	return context.WithValue(ctx, guardKey{}, g), sync.OnceFunc(g.close)
}

// serve starts processes, on one thread.
func (g *guard) serve() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for {
		select {
		case start := <-g.starts:
			start()
		case <-g.closed:
			return
		}
	}
}

func (g *guard) start(cmd *exec.Cmd) error {
	result := make(chan error, 1)
	start := func() {
		dieWithThread(cmd)
		err := cmd.Start()
		if err == nil {
			g.tell("+", cmd.Process.Pid)
		}
		result <- err
	}
	select {
	case g.starts <- start:
		return <-result
	case <-g.closed:
		return fmt.Errorf("start %s: the call that it belongs to has ended", cmd.Path)
	}
}

func (g *guard) ended(pid int) { g.tell("-", pid) }

// tellTimeout bounds the wait for a sentinel that is stopped or starved.
const tellTimeout = time.Second

func (g *guard) tell(what string, pid int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.pipe == nil {
		return
	}
	_ = g.pipe.SetWriteDeadline(time.Now().Add(tellTimeout))
	if _, err := fmt.Fprintf(g.pipe, "%s %d\n", what, pid); err != nil {
		g.dismiss() // it was killed: go on without
	}
}

func (g *guard) close() {
	close(g.closed)
	g.thread.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.dismiss()
}

// dismiss ends the sentinel, which first kills what it still knows of.
func (g *guard) dismiss() {
	if g.pipe == nil {
		return
	}
	g.pipe.Close()
	g.pipe = nil
	_ = g.sentinel.Wait()
}

// watch is the sentinel's program. Signals meant for whole sessions must not
// end it before its work is done.
const watch = `trap '' INT TERM HUP QUIT
live=
while read -r what pid; do
	case $what in
	+) live="$live $pid" ;;
	-) rest=
		for p in $live; do [ "$p" = "$pid" ] || rest="$rest $p"; done
		live=$rest ;;
	esac
done
for p in $live; do kill -s KILL -- "-$p"; done`

// post starts the sentinel.
func (g *guard) post() {
	r, w, err := os.Pipe()
	if err != nil {
		return
	}
	defer r.Close()
	cmd := exec.Command("/bin/sh", "-c", watch)
	cmd.Dir, cmd.Env, cmd.Stdin = "/", []string{}, r
	ownSession(cmd)
	if cmd.Start() != nil {
		w.Close()
		return
	}
	g.pipe, g.sentinel = w, cmd
}
