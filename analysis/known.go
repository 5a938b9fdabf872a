package analysis

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// apiName is how the tables below call a function: "sync.Mutex.Lock",
// "time.AfterFunc".
func apiName(fn *types.Func) string {
	if fn == nil || fn.Pkg() == nil {
		return ""
	}
	name := fn.Name()
	if recv := fn.Signature().Recv(); recv != nil {
		name = typeName(recv.Type()) + "." + name
	}
	return fn.Pkg().Path() + "." + name
}

// called is the function or interface method that a call names, nil for
// function values.
func called(c *ssa.CallCommon) *types.Func {
	if c.IsInvoke() {
		return c.Method
	}
	if fn := c.StaticCallee(); fn != nil {
		if o := fn.Origin(); o != nil {
			fn = o
		}
		obj, _ := fn.Object().(*types.Func)
		return obj
	}
	return nil
}

// syncOps are the operations on the first argument (the receiver).
var syncOps = map[string]op{
	"sync.Mutex.Lock": opLock, "sync.Mutex.Unlock": opUnlock, "sync.Mutex.TryLock": opTryLock,
	"sync.RWMutex.Lock": opLock, "sync.RWMutex.Unlock": opUnlock, "sync.RWMutex.TryLock": opTryLock,
	"sync.RWMutex.RLock": opRLock, "sync.RWMutex.RUnlock": opUnlock, "sync.RWMutex.TryRLock": opTryLock,
	"sync.Locker.Lock": opLock, "sync.Locker.Unlock": opUnlock,
	"sync.Cond.Wait": opWait, "sync.Cond.Signal": opSignal, "sync.Cond.Broadcast": opBroadcast,
	"sync.WaitGroup.Done": opDone, "sync.WaitGroup.Add": opAdd, "sync.WaitGroup.Wait": opWaitAll,
	"golang.org/x/sync/errgroup.Group.Wait": opWaitAll,
}

const errgroupPath = "golang.org/x/sync/errgroup"

// syncOp is what a call does to its first argument, opNone if it is no
// operation of sync or sync/atomic.
func syncOp(fn *types.Func) op {
	name := apiName(fn)
	if o, ok := syncOps[name]; ok {
		return o
	}
	rest, ok := strings.CutPrefix(name, "sync/atomic.")
	if !ok {
		return opNone
	}
	if _, method, isMethod := strings.Cut(rest, "."); isMethod {
		rest = method
	}
	switch {
	case strings.HasPrefix(rest, "Load"):
		return opLoad
	case strings.HasPrefix(rest, "Store"):
		return opStore
	default:
		return opSwap
	}
}

// starter is a library function that runs one of its arguments in a goroutine.
type starter struct {
	fn    int  // argument that is run
	group int  // argument whose Wait waits for it, -1: none
	many  bool // several times at once
}

// starters; arguments count with the receiver.
var starters = map[string]starter{
	"sync.WaitGroup.Go":                        {1, 0, false},
	"golang.org/x/sync/errgroup.Group.Go":      {1, 0, false},
	"golang.org/x/sync/errgroup.Group.TryGo":   {1, 0, false},
	"time.AfterFunc":                           {1, -1, false},
	"context.AfterFunc":                        {1, -1, false},
	"runtime.AddCleanup":                       {1, -1, false},
	"runtime.SetFinalizer":                     {1, -1, false},
	"net/http.HandleFunc":                      {1, -1, true},
	"net/http.ServeMux.HandleFunc":             {2, -1, true},
	"testing.B.RunParallel":                    {1, -1, true},
	"github.com/sourcegraph/conc.WaitGroup.Go": {1, 0, false},
	"github.com/sourcegraph/conc/pool.Pool.Go": {1, 0, false},
}

// startedBy is the starter that a call is. An unknown library's method Go with
// a function is taken for one.
func startedBy(c *ssa.CallCommon) (starter, bool) {
	fn := called(c)
	if s, ok := starters[apiName(fn)]; ok {
		return s, true
	}
	if fn != nil && (fn.Name() == "Go" || fn.Name() == "TryGo") {
		for i, a := range c.Args {
			if _, ok := a.Type().Underlying().(*types.Signature); ok {
				return starter{i, -1, false}, true
			}
		}
	}
	return starter{}, false
}

// isOnce reports a call of sync.Once.Do.
func isOnce(fn *types.Func) bool { return apiName(fn) == "sync.Once.Do" }

// isParallel reports a call of testing.T.Parallel.
func isParallel(fn *types.Func) bool { return apiName(fn) == "testing.T.Parallel" }
