// Package bug reports broken invariants of Hocket: states that its code rules
// out, and panics that it recovers from.
//
// In tests a report panics, so that no test passes over it; a test of what
// happens after a report calls [Tolerate]. In the product a report is kept and
// the program goes on: "hocket bug" prints the reports ([List]) for an issue.
//
// Invariants:
//   - A report holds no text of the user's programs and no folder of this
//     machine: of the arguments only numbers and booleans are kept, of a panic
//     only what the Go runtime says, of the stack only functions of Hocket and
//     the names and lines of their files.
//   - There is one report for each place in the code and version of Hocket, and
//     no more than maxReports of them, each of a few kilobytes.
//   - Several processes may report at once. A process that is killed leaves no
//     partial report.
//   - Reporting never fails and never panics outside tests: a report that can't
//     be written is kept in memory.
package bug

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/internal/version"
)

// Report is one broken invariant, as it happened first.
type Report struct {
	Time     time.Time `json:"time"`
	Hocket   string    `json:"hocket"`   // version
	Go       string    `json:"go"`       // version that built Hocket
	Platform string    `json:"platform"` // such as linux/amd64
	Site     string    `json:"site"`     // the place in Hocket's code
	Message  string    `json:"message"`
	Stack    []string  `json:"stack"` // innermost first
}

// Reportf reports that an invariant does not hold where it is called. The
// arguments are formatted in tests only; see the package's invariants.
func Reportf(format string, args ...any) { report(format, args) }

// Errorf is Reportf, with an error for users that says so. The error may hold
// the user's texts.
func Errorf(format string, args ...any) error {
	report(format, args)
	return fmt.Errorf(format+"; "+internalError, args...)
}

const internalError = `internal error of Hocket; run "hocket bug" to report it`

func report(format string, args []any) {
	if fatal() {
		panic("bug: " + fmt.Errorf(format, args...).Error())
	}
	keep(withoutTexts(format, args), stack(2))
}

// Recovered reports a panic; p, what recover returned, is not nil. The error
// says for users what could not be done and that "hocket bug" has the details.
// doing completes "panic while", such as "building the call graph", and may hold
// the user's names: it is in the error only. Recovered must be called by the
// deferred function that recovered.
func Recovered(p any, doing string) error {
	if fatal() {
		panic(fmt.Sprintf("bug: panic while %s: %v\n\n%s", doing, p, debug.Stack()))
	}
	keep("panic: "+panicText(p), stackOfPanic())
	return fmt.Errorf("%s failed: %s", doing, internalError)
}

// fatal: in tests, but for those of reports.
func fatal() bool {
	kept.Lock()
	defer kept.Unlock()
	return testing.Testing() && !kept.tolerated
}

// keep records a report, once for each site.
func keep(message string, frames []runtime.Frame) {
	r := Report{Time: time.Now().UTC().Truncate(time.Second), Hocket: version.Version(), Go: runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH, Message: shortened(message)}
	for _, f := range frames {
		r.Stack = append(r.Stack, frameText(f))
	}
	r.Site = "unknown"
	if len(r.Stack) > 0 {
		r.Site = r.Stack[0]
	}
	kept.add(r)
}
