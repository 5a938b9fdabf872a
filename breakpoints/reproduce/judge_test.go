package reproduce

import "testing"

// Place and wait reason of each blocked goroutine decide, not their number.
func TestAllBlocked(t *testing.T) {
	dump := `goroutine 1 [chan receive, 2 minutes]:
main.main()
	/x/m/main.go:12 +0x1

goroutine 7 gp=0x1 m=nil [sync.Mutex.Lock]:
main.f()
	/x/m/f.go:3 +0x1

goroutine 8 [running]:
main.g()
	/x/m/f.go:9 +0x1
`
	for _, c := range []struct {
		places []string
		want   bool
	}{
		{[]string{"m/main.go:12"}, true},
		{[]string{"m/main.go:12", "m/f.go:3"}, true},
		{[]string{"m/main.go:10-12", "m/f.go:3-4"}, true},
		{[]string{"m/main.go:13-14"}, false},
		{[]string{"m/f.go:9"}, false},
		{[]string{"m/f.go:33"}, false},
		{nil, false},
	} {
		if got := allBlocked(dump, c.places); got != c.want {
			t.Errorf("%v: %v, want %v", c.places, got, c.want)
		}
	}
}

// A report of the race detector must name both accesses, not a stack that
// tells who started whom.
func TestRaced(t *testing.T) {
	report := `==================
WARNING: DATA RACE
Write at 0x00c000012345 by goroutine 8:
  m.put()
      /x/m/put.go:7 +0x1

Previous read at 0x00c000012345 by goroutine 7:
  m.get()
      /x/m/get.go:9 +0x1

Goroutine 8 (running) created at:
  m.start()
      /x/m/start.go:3 +0x1
==================
`
	for _, c := range []struct {
		places []string
		want   bool
	}{
		{[]string{"m/put.go:7", "m/get.go:9"}, true},
		{[]string{"m/put.go:6-8", "m/get.go:9"}, true},
		{[]string{"m/put.go:7", "m/start.go:3"}, false},
		{[]string{"m/put.go:8", "m/get.go:9"}, false},
		{nil, false},
	} {
		if got := raced(report, c.places); got != c.want {
			t.Errorf("%v: %v, want %v", c.places, got, c.want)
		}
	}
}

func TestSame(t *testing.T) {
	fail := "    x_test.go:12: 3 of 4 seats\n--- FAIL: TestX (0.00s)\nFAIL\n"
	for name, c := range map[string]struct {
		j    Judge
		r    Ended
		want bool
	}{
		"other numbers":                   {Judge{Kind: "test-failure", Message: "2 of 9 seats", Entry: "TestX"}, Ended{Exit: 1, Output: fail}, true},
		"other words":                     {Judge{Kind: "test-failure", Message: "2 of 9 rows", Entry: "TestX"}, Ended{Exit: 1, Output: fail}, false},
		"other test":                      {Judge{Kind: "test-failure", Message: "2 of 9 seats", Entry: "TestY"}, Ended{Exit: 1, Output: fail}, false},
		"silent":                          {Judge{Kind: "test-failure", Message: "TestX failed", Silent: true, Entry: "TestX"}, Ended{Exit: 1, Output: fail}, true},
		"panic":                           {Judge{Kind: "panic", Message: "panic: oversold"}, Ended{Exit: 2, Output: "panic: oversold\n\ngoroutine 1 [running]:"}, true},
		"panic, but exit 0":               {Judge{Kind: "panic", Message: "panic: oversold"}, Ended{Exit: 0, Output: "panic: oversold"}, false},
		"killed":                          {Judge{Kind: "panic", Message: "panic: oversold"}, Ended{Exit: 2, Quit: true, Output: "panic: oversold"}, false},
		"exit":                            {Judge{Kind: "exit", ExitCode: 3}, Ended{Exit: 3}, true},
		"exit, another reason":            {Judge{Kind: "exit", ExitCode: 1, LastLine: "2026/01/02 03:04:05 lost 3 items"}, Ended{Exit: 1, Output: "2026/02/03 04:05:06 no such file"}, false},
		"exit, same reason":               {Judge{Kind: "exit", ExitCode: 1, LastLine: "2026/01/02 03:04:05 lost 3 items"}, Ended{Exit: 1, Output: "2026/02/03 04:05:06 lost 4 items\n"}, true},
		"TestMain's status":               {Judge{Kind: "test-failure", Message: "2 of 9 seats", Entry: "TestX"}, Ended{Exit: 3, Output: fail}, true},
		"a crash with the test's failure": {Judge{Kind: "test-failure", Message: "TestX failed", Silent: true, Entry: "TestX"}, Ended{Exit: 2, Output: "--- FAIL: TestX (0.00s)\npanic: boom"}, false},
		"other exit":                      {Judge{Kind: "exit", ExitCode: 3}, Ended{Exit: 1}, false},
		"deadlock elsewhere":              {Judge{Kind: "deadlock"}, Ended{Exit: 2, Output: "fatal error: all goroutines are asleep - deadlock!"}, false},
	} {
		if got := c.j.Same(c.r, nil); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// A dependency's root folder has a version in some builds and none in others.
func TestPlacesOfVersionedFolders(t *testing.T) {
	for _, file := range []string{"/go/pkg/mod/x.org/puddle@v1.1.3/pool.go", "/tmp/mod/x.org/puddle/pool.go", "x.org/puddle@v1.1.3/pool.go"} {
		dump := "goroutine 1 [semacquire]:\nx.f()\n\t" + file + ":7 +0x1\n"
		for _, place := range []string{ShortPlace("/go/pkg/mod/x.org/puddle@v1.1.3/pool.go", 7, 7), ShortPlace("/x/puddle/pool.go", 7, 7)} {
			if !allBlocked(dump, []string{place}) {
				t.Errorf("%s is not found in %s", place, file)
			}
		}
	}
}
