package dump

import (
	"strings"
	"testing"
)

// TestForms reads texts as people paste them into reports, names replaced: of Go
// releases since 1.2, other systems, other build systems, terminals that break lines.
func TestForms(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"Go 1.2", `panic: runtime error: send on closed channel

goroutine 2535 [running]:
runtime.panic(0x716500, 0xb3fe7e)
        /usr/lib/go/src/pkg/runtime/panic.c:266 +0xb6
main.(*Room).Say(0xc2100aec40, 0xc210472905, 0x5, 0xc21047290b, 0x4, ...)
        /src/chat/room.go:129 +0x27c
main.func·003(0xc21206f420)
        /src/chat/api.go:350 +0x5b9
created by main.(*Client).open
        /src/chat/client.go:459 +0x66d
`, `panic "runtime error: send on closed channel": running: main.(*Room).Say (room.go:129) main.func·003 (api.go:350) by main.(*Client).open (client.go:459)`},
		{"Windows, and a broken line", `panic: send on closed channel

goroutine 30 [running]:
example.com/deploy/cloud.(*backend).run.func1(0xc042578a80, 0xc0425789c0, 0xc04203392
0, 0xc042578ba0)
        C:/Users/ci/go/src/example.com/deploy/cloud/backend.go:937 +0x13e
created by example.com/deploy/cloud.(*backend).run
        C:/Users/ci/go/src/example.com/deploy/cloud/backend.go:931 +0x44d
`, `panic "send on closed channel": running: example.com/deploy/cloud.(*backend).run.func1 (backend.go:937) by example.com/deploy/cloud.(*backend).run (backend.go:931)`},
		{"before wait reasons of package sync", `fatal error: all goroutines are asleep - deadlock!

goroutine 1 [semacquire, 2 minutes]:
sync.runtime_SemacquireMutex(0x8?, 0x1?, 0x7?)
        /opt/hostedtoolcache/go/src/runtime/sema.go:77 +0x25
sync.(*RWMutex).Lock(0xbf4106?)
        /opt/hostedtoolcache/go/src/sync/rwmutex.go:147 +0x36
example.com/prompt/shell.(*Shell).Dir(0xc00013a0c0)
        /src/prompt/shell/shell.go:334 +0xa5
example.com/prompt/cli.glob..func6(0x1f85e40?, {0x20029f8?, 0x0?, 0x0?})
        /src/prompt/cli/debug.go:25 +0x4a
main.main()
        /src/prompt/main.go:9 +0x17
`, `deadlock "all goroutines are asleep - deadlock!": semacquire: example.com/prompt/shell.(*Shell).Dir (shell.go:334) example.com/prompt/cli.glob..func6 (debug.go:25) main.main (main.go:9)`},
		{"quoted, with registers", "> ```fatal error: concurrent map writes\n" + `
goroutine 469 [running]:
runtime.throw({0xfdaf23?, 0xf25720?})
	/usr/local/go/src/runtime/panic.go:992 +0x71 fp=0xc0002b2f88 sp=0xc0002b2f58 pc=0x437db1
runtime.mapassign_faststr(0xe9a840, 0xc0034ed3e0, {0xc0034e6ed8, 0x8})
	/usr/local/go/src/runtime/map_faststr.go:295 +0x38b fp=0xc0002b2ff0 sp=0xc0002b2f88 pc=0x41520b
go.example.io/server/cases.(*Case).dup(0xc0003566e0, {0x203e710, 0xc003794e40}, 0xc0002b3748)
	/src/server/cases/case.go:502 +0xa6c fp=0xc0002b3280 sp=0xc0002b2ff0 pc=0xd5c28c
go.example.io/server/cases.(*Case).put(_, {_, _}, {_, _}, {{0xc003a1ec90, 0x24}, 0x641af62b, ...})
	/src/server/cases/case.go:175 +0xac fp=0xc0002b3748 sp=0xc0002b3280 pc=0xd56c8c
`, `fatal error "concurrent map writes": running: go.example.io/server/cases.(*Case).dup (case.go:502) go.example.io/server/cases.(*Case).put (case.go:175)`},
		{"another detector's words around", `POTENTIAL DEADLOCK:
Previous place where the lock was grabbed
goroutine 1595446618 lock 0xc00048e7d0
example/mutex.go:48 tracing.(*Mutex).Lock ??? <<<<<

Here is what goroutine 1595446618 doing now
goroutine 1595446618 [semacquire]:
sync.(*Mutex).lockSlow(0xc0001108a0)
 sync/mutex.go:138 +0x105
example.com/locks.(*order).after(0xc0001108a0, 0xc54900, 0xc00048e7d0)
 example.com/locks@v0.2.1/locks.go:330 +0xa6
`, `goroutine dump "": semacquire: example.com/locks.(*order).after (locks.go:330)`},
		{"race in Bazel", `==================
WARNING: DATA RACE
Read at 0x00c42009fd80 by goroutine 58:
  example.com/infra/tool/go_default_test.finish()
      tool/util.go:276 +0x8d6
  example.com/infra/tool/go_default_test.TestFinish()
      tool/util_test.go:402 +0xcd5
  testing.tRunner()
      /build/external/go1_9_linux_amd64/src/testing/testing.go:746 +0x16c
Previous write at 0x00c42009fd80 by goroutine 15:
  os/exec.(*Cmd).Start()
      /build/external/go1_9_linux_amd64/src/os/exec/exec.go:363 +0x8d6
  example.com/infra/tool/go_default_test.execute()
      tool/util.go:216 +0x639
Goroutine 58 (running) created at:
  testing.(*T).Run()
      /build/external/go1_9_linux_amd64/src/testing/testing.go:789 +0x568
==================
`, `race report "" read example.com/infra/tool/go_default_test.finish (util.go:276) write example.com/infra/tool/go_default_test.execute (util.go:216)`},
		{"the main goroutine races", `WARNING: DATA RACE
Write at 0x000001226fa8 by main goroutine:
  main.main()
      /Users/ann/m/main.go:12 +0x3a

Previous atomic read at 0x000001226fa8 by goroutine 6:
  sync/atomic.LoadInt32()
      /usr/local/go/src/runtime/race_amd64.s:219 +0xc
  main.main.func1()
      /Users/ann/m/main.go:9 +0x38
`, `race report "" write main.main (main.go:12) read main.main.func1 (main.go:9)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := read(t, []byte(c.text))[0]
			got := string(s.Kind) + ` "` + s.Message + `"`
			for _, g := range s.Goroutines {
				got += ": " + g.Reason + ": " + calls(User(g.Frames))
				if g.Created.Func != "" {
					got += " by " + g.Created.String()
				}
			}
			if s.Race != nil {
				for _, a := range s.Race.Accesses {
					op := " read "
					if a.Write {
						op = " write "
					}
					got += op + User(a.Frames)[0].String()
				}
			}
			if got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func calls(frames []Frame) string {
	var all []string
	for _, f := range frames {
		all = append(all, f.String())
	}
	return strings.Join(all, " ")
}
