//go:build hocket_overlay

package runtime

// hkPause keeps the program as it is, so that its memory can be read from outside, until
// it is killed. It is called on the stack of the goroutine whose next operation is
// waited for; nobody else runs on the only processor.
func hkPause() {
	hkHdr[hkWPaused] = 1
	for {
		usleep(1000)
	}
}
