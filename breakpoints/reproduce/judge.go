package reproduce

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/hocket-dev/hocket/breakpoints/breakfile"
)

// Judge tells a finding's failure from others. It is also the judge of entries
// of kind "schedule" in the breakpoints file, as JSON.
type Judge struct {
	Kind     string `json:"kind"` // "panic", "test-failure", "deadlock", "leak", "livelock", "exit", "data-race"; else any end with the message
	Message  string `json:"message,omitempty"`
	Silent   bool   `json:"silent,omitempty"` // of a test: the message is not in its output
	Entry    string `json:"entry,omitempty"`  // the top-level test
	ExitCode int    `json:"exit_code,omitempty"`
	LastLine string `json:"last_line,omitempty"` // of an exit: what the program printed last
	// Blocked are the statements at which goroutines wait for ever; of a data
	// race, its two accesses.
	Blocked []breakfile.Place `json:"blocked,omitempty"`
	// Flags of the build and Args of the program with which it was seen.
	Flags []string `json:"flags,omitempty"`
	Args  []string `json:"args,omitempty"`
}

// Ended is how a run ended.
type Ended struct {
	Exit   int
	Output string // stdout and stderr
	Quit   bool   // not by itself; the output has a dump of all goroutines
	Busy   bool   // it used the processor when it was ended
	Dump   string // all goroutines at the end of main or the test
}

// NeedsDump reports whether who is left is to be looked at before the process ends.
func (j *Judge) NeedsDump() bool { return j.Kind == "leak" }

// Same says that a run failed as the finding did. The places are where the
// Blocked statements are now: "dir/file.go:12", or "dir/file.go:12-14" of one
// that is several lines long.
func (j *Judge) Same(r Ended, places []string) bool {
	switch j.Kind {
	case "deadlock":
		asleep := strings.Contains(r.Output, "all goroutines are asleep")
		return (asleep || r.Quit && !sleeping.MatchString(r.Output)) && allBlocked(r.Output, places)
	case "leak":
		return allBlocked(r.Dump, places) || r.Quit && allBlocked(r.Output, places)
	case "livelock":
		return r.Quit && r.Busy
	case "data-race":
		return raced(r.Output, places)
	case "test-failure": // a TestMain may end with a status of its own
		return !r.Quit && strings.Contains(r.Output, "--- FAIL: "+j.Entry) && (r.Exit == 1 || !crashed(r.Output)) && j.hasMessage(r.Output)
	case "exit":
		return !r.Quit && r.Exit == j.ExitCode && PrintsLine(r.Output, j.LastLine)
	}
	return !r.Quit && r.Exit != 0 && j.hasMessage(r.Output)
}

// crashed says that the runtime ended the program.
func crashed(output string) bool {
	output = "\n" + output
	return strings.Contains(output, "\npanic: ") || strings.Contains(output, "\nfatal error: ")
}

// hasMessage looks for the failure's message among the output's lines,
// whatever numbers it has.
func (j *Judge) hasMessage(output string) bool {
	want := withoutNumbers(j.Message)
	return want == "" || j.Silent || PrintsLine(output, j.Message)
}

// PrintsLine says that the first line of a message is in an output, whatever
// numbers it has there.
func PrintsLine(output, message string) bool {
	want := withoutNumbers(message)
	for _, line := range strings.Split(output, "\n") {
		if strings.Contains(withoutNumbers(line), want) {
			return true
		}
	}
	return false
}

var numbers = regexp.MustCompile(`0x[0-9a-fA-F]+|\d+`)

func withoutNumbers(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return Normalize(numbers.ReplaceAllString(s, "#"))
}

var waiting = regexp.MustCompile(`^goroutine \d+(?: gp=\S+ m=\S+(?: mp=\S+)?)? \[(chan receive|chan send|select|sync\.|semacquire|IO wait)`)

// sleeping matches a goroutine that will go on by itself.
var sleeping = regexp.MustCompile(`(?m)^goroutine \d+(?: gp=\S+ m=\S+(?: mp=\S+)?)? \[sleep`)

// allBlocked says that a dump has a blocked goroutine at each of the places.
func allBlocked(dump string, places []string) bool {
	need := map[string]bool{}
	for _, p := range places {
		need[p] = true
	}
	for _, g := range strings.Split(dump, "\n\n") {
		if waiting.MatchString(strings.TrimLeft(g, "\n")) {
			remove(need, g)
		}
	}
	return len(places) > 0 && len(need) == 0
}

// raced says that the race detector reports accesses at all of the places at
// once.
func raced(output string, places []string) bool {
	for _, report := range strings.Split(output, "WARNING: DATA RACE")[1:] {
		need := map[string]bool{}
		for _, p := range places {
			need[p] = true
		}
		report, _, _ = strings.Cut(report, "\n==================")
		accesses, _, _ := strings.Cut(report, "\nGoroutine ")
		if remove(need, accesses); len(places) > 0 && len(need) == 0 {
			return true
		}
	}
	return false
}

// remove deletes the places that a stack names.
func remove(need map[string]bool, stack string) {
	for _, line := range strings.Split(stack, "\n") {
		at, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		i := strings.LastIndex(at, ":")
		if i < 0 {
			continue
		}
		for p := range need {
			if atPlace(p, shortFile(at[:i]), at[i+1:]) {
				delete(need, p)
			}
		}
	}
}

func atPlace(place, file, line string) bool {
	name, lines, _ := strings.Cut(place, ":")
	if name != file {
		return false
	}
	var n, from, to int
	if _, err := fmt.Sscanf(line, "%d", &n); err != nil {
		return false
	}
	if k, _ := fmt.Sscanf(lines, "%d-%d", &from, &to); k < 2 {
		to = from
	}
	return from <= n && n <= to
}

// shortFile is the last folder and the file. The root folder of a dependency has
// a version in the module cache and in programs built with -trimpath; the build
// with points has it in a folder without one.
func shortFile(file string) string {
	file = strings.ReplaceAll(file, `\`, "/")
	folder, _, _ := strings.Cut(path.Base(path.Dir(file)), "@")
	return path.Join(folder, path.Base(file))
}

// ShortPlace names lines whatever the machine's folders or -trimpath: the last
// folder, the file and the lines.
func ShortPlace(file string, from, to int) string {
	s := fmt.Sprintf("%s:%d", shortFile(file), from)
	if to > from {
		s += fmt.Sprintf("-%d", to)
	}
	return s
}
