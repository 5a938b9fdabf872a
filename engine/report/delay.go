package report

import (
	"fmt"
	"strings"
	"time"
)

// String is "can fail if `worker` at a.go:3 is delayed by 2ms or more, so that the timer
// of b.go:4 fires first".
func (d *TimeDependent) String() string {
	who := []string{whoAt(d.Goroutine, d.At)}
	for i, o := range d.Others {
		if i == maxOthers {
			who = append(who, count(len(d.Others)-i, "other", "s"))
			break
		}
		who = append(who, whoAt(o.Goroutine, o.String()))
	}
	by := time.Duration(d.DelayMS * float64(time.Millisecond)).Round(10 * time.Microsecond)
	s := fmt.Sprintf("can fail if %s delayed by %v or more", enumerated(who), by)
	switch {
	case d.Timer == "":
		s += ", so that a timer fires first"
	case d.Sleep:
		s += ", so that the sleep of " + d.Timer + " ends first"
	default:
		s += ", so that the timer of " + d.Timer + " fires first"
	}
	if d.More > 0 {
		s += ", and " + count(d.More, "further delay", "s") + " like this"
	}
	return s
}

// maxOthers are named in a sentence.
const maxOthers = 2

func whoAt(goroutine, at string) string {
	s := "a goroutine"
	if goroutine != "" {
		s = "`" + goroutine + "`"
	}
	if at != "" {
		s += " at " + at
	}
	return s
}

// enumerated is "a is", "a and b are" or "a, b and c are".
func enumerated(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0] + " is"
	}
	return strings.Join(names[:last], ", ") + " and " + names[last] + " are"
}
