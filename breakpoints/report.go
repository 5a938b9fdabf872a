package breakpoints

import (
	"os"
	"strings"
)

// report appends one line per happening at once, so that it is complete after
// any kind of end of the process.
type report struct{ f *os.File }

//go:norace
func openReport(name string) *report {
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil // the program under test must not notice
	}
	return &report{f}
}

//go:norace
func (r *report) line(s string) {
	if r != nil {
		r.f.WriteString(s + "\n")
	}
}

// Report is what became of a plan.
type Report struct {
	Arrived []string // step ids in order
	Played  bool     // every step went on as planned
	Broken  string   // "stuck ID" or "timeout ID": step ID did not wait for all that it was to
	Bad     string   // the plan could not be read
	Ended   bool     // Linger was reached: main or the test is over
	Dump    string   // all goroutines when Linger was reached, if the plan asks

	Breaks map[int]*Stat // of concurrent breakpoints, by Definition.ID
}

// ReadReport reads the file named by EnvReport. A missing file is an empty
// report: no step has arrived.
//
//go:norace
func ReadReport(name string) (Report, error) {
	var r Report
	data, err := os.ReadFile(name)
	if os.IsNotExist(err) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	text, dump, _ := strings.Cut(string(data), "dump\n")
	r.Dump = dump
	r.Breaks = readStats(string(data))
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch word {
		case "arrived":
			r.Arrived = append(r.Arrived, rest)
		case "played":
			r.Played = true
		case "freed":
			if r.Broken == "" {
				r.Broken = "stuck " + rest
			}
		case "broken":
			if r.Broken == "" {
				r.Broken = rest
			}
		case "bad":
			r.Bad = rest
		case "ended":
			r.Ended = true
		}
	}
	if r.Broken != "" {
		r.Played = false
	}
	return r, nil
}
