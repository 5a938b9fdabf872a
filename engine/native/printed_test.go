package native

import "testing"

func TestWithoutPoints(t *testing.T) {
	const (
		failed = "panic: boom\n\ngoroutine 7 [running]:\nmain.work(0x1)\n\t/m/main.go:9 +0x1d\n"
		held   = "\ngoroutine 8 [sleep]:\nhocketpoints.(*game).hold(0x1)\n\t/go/src/hocketpoints/hold.go:3 +0x1\nmain.other()\n\t/m/main.go:20 +0x5\ncreated by main.main in goroutine 1\n\t/m/main.go:5 +0x4\n"
		user   = "\ngoroutine 8 [sleep]:\nmain.other()\n\t/m/main.go:20 +0x5\ncreated by main.main in goroutine 1\n\t/m/main.go:5 +0x4\n"
		ours   = "\ngoroutine 9 [select]:\nhocketpoints.watch()\n\t/go/src/hocketpoints/watch.go:3 +0x1\ncreated by hocketpoints.start in goroutine 1\n\t/go/src/hocketpoints/watch.go:1 +0x1\n"
	)
	for _, c := range []struct{ name, in, want string }{
		{"nothing of ours", failed, failed},
		{"a frame", failed + held, failed + user},
		{"a goroutine of ours, last", failed + ours, failed + "\n"},
		{"a goroutine of ours between others", failed + ours + held, failed + "\n" + user[1:]},
		{"a line of the program", "saw hocketpoints.Then twice\n" + failed, "saw hocketpoints.Then twice\n" + failed},
	} {
		if got := withoutPoints(c.in); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}
