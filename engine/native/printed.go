package native

import (
	"regexp"
	"strings"
)

// printed is what the program printed by itself: without what the runtime says when it is
// killed, and without the frames of the points that were put into it.
func (r *attempt) printed() string {
	own := r.output
	if r.quit {
		own, _, _ = strings.Cut(own, "SIGQUIT: quit\nPC=")
	}
	return withoutPoints(own)
}

var (
	pointFrame = regexp.MustCompile(`(?m)^(created by )?hocketpoints\..*\n\t.*(\n|\z)`)
	emptyStack = regexp.MustCompile(`(?m)^goroutine \d+ (gp=\S+ m=\S+ (mp=\S+ )?)?\[[^\]]*\]:\n(\n|\z)`)
)

// withoutPoints leaves the frames of injected points out of stacks, and goroutines that
// have no others.
func withoutPoints(text string) string {
	if !strings.Contains(text, "hocketpoints.") {
		return text
	}
	return emptyStack.ReplaceAllString(pointFrame.ReplaceAllString(text, ""), "")
}
