package difftest_test

import (
	"testing"

	"github.com/hocket-dev/hocket/engine/run/sim/minigo"
	"github.com/hocket-dev/hocket/engine/solve/native"
)

// Programs that were proved falsely once.
func TestOnceProvedFalsely(t *testing.T) {
	type S = minigo.Stmt
	one := func(chans []int, threads ...[]*S) *minigo.Program {
		return &minigo.Program{
			Plain: 1, Atomics: 1, Mutexes: 1, RWMutexes: 1, WaitGroups: 2, Onces: 1, Conds: []int{0}, Chans: chans, Threads: threads,
		}
	}
	recv := func(c int) minigo.Case { return minigo.Case{Chan: c} }
	send := func(c int) minigo.Case { return minigo.Case{Send: true, Chan: c, Val: minigo.Expr{K: 2}} }
	choose := func(orElse bool, cases ...minigo.Case) []*S {
		return []*S{{Op: minigo.Select, Default: orElse, Cases: cases}}
	}
	for name, p := range map[string]*minigo.Program{
		"two cases of a select are one channel": one([]int{0, 0},
			[]*S{{Op: minigo.Go, Obj: 1}, {Op: minigo.Send}}, choose(true, recv(0), recv(0))),
		"a select sends or receives on one channel": one([]int{0, 0},
			[]*S{{Op: minigo.Go, Obj: 1}, {Op: minigo.Send}}, choose(true, recv(0), send(0))),
		"a default that was not taken": one([]int{2, -1},
			[]*S{{Op: minigo.Go, Obj: 1}, {Op: minigo.Send}}, choose(true, recv(0), send(1))),
		"a WaitGroup is used again by main": one([]int{0, 0},
			[]*S{{Op: minigo.Go, Obj: 1}, {Op: minigo.Go, Obj: 2}, {Op: minigo.WGAdd, Obj: 1, N: 1}},
			[]*S{{Op: minigo.WGAdd, Obj: 1, N: 1}, {Op: minigo.WGDone, Obj: 1}, {Op: minigo.WGWait, Obj: 1}},
			[]*S{{Op: minigo.WGAdd, Obj: 1, N: 1}, {Op: minigo.WGDone, Obj: 1}}),
		"a reader behind a writer that waits for it": one([]int{0, 0},
			[]*S{{Op: minigo.Go, Obj: 1}, {Op: minigo.WLock}, {Op: minigo.WUnlock}},
			[]*S{{Op: minigo.RLock}, {Op: minigo.RLock}, {Op: minigo.Unlock}}),
		"such a reader beside unlocks that fail": one([]int{0, 0},
			[]*S{{Op: minigo.Go, Obj: 1}, {Op: minigo.WLock}, {Op: minigo.Unlock}},
			[]*S{{Op: minigo.Lock}, {Op: minigo.Unlock}, {Op: minigo.RLock}, {Op: minigo.RLock}, {Op: minigo.Unlock}}),
		"a send that gives up or finds the channel closed": one([]int{0, 0},
			[]*S{{Op: minigo.Go, Obj: 1}, {Op: minigo.Close}}, choose(true, send(0))),
	} {
		t.Run(name, func(t *testing.T) {
			p.Number()
			s := &sample{program: p, all: minigo.Enumerate(p, 10_000)}
			x := explore(t, s, native.New())
			if missed := missing(s.all, &x.saw); missed != "" {
				t.Errorf("%s, but %s\n%v", x.why, missed, p)
			}
			if races := "the program has data races"; !x.proved && x.why != races { // those end every proof
				t.Errorf("no proof: %s\n%v", x.why, p)
			}
		})
	}
}
