package run

import (
	"cmp"
	"fmt"
	"strings"
)

// DifferCause returns a possible reason why two runs of one schedule differ, in
// parentheses with a space before; "" if none is known.
func DifferCause(a, b *Result) string {
	var causes []string
	if what := cmp.Or(a.Outside, b.Outside); what != "" {
		causes = append(causes, what)
	} else if n := max(a.External, b.External); n > 0 {
		causes = append(causes, fmt.Sprintf("%d system calls or other external events took part", n))
	}
	if a.Diverged || b.Diverged {
		causes = append(causes, "a goroutine of the schedule could not run")
	}
	if len(causes) == 0 {
		return ""
	}
	return " (" + strings.Join(causes, "; ") + ")"
}
