package dump

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/google/pprof/profile"
)

// isProfile tells profiles in the protocol buffer form, which are compressed.
func isProfile(head []byte) bool { return bytes.HasPrefix(head, []byte{0x1f, 0x8b}) }

// maxProfile bounds a profile when it is unpacked, in bytes.
const maxProfile = 64 << 20

// readProfile reads a goroutine profile, or a text that is compressed.
func readProfile(r io.Reader) (states []*State, err error) {
	defer recovered("goroutine profile", &err)
	data, err := unpacked(r)
	if err != nil {
		return nil, err
	}
	p, err := profile.ParseUncompressed(data)
	if err != nil {
		return readText(bytes.NewReader(data)) // a compressed log
	}
	s := &State{Kind: Profile, All: true}
	if !countsGoroutines(p, s) {
		return nil, errors.New("it is a profile, but not one of goroutines; take /debug/pprof/goroutine")
	}
	t := &text{lines: newLines(strings.NewReader(""), 0)}
	t.begin(s)
	for _, sample := range p.Sample {
		g := Goroutine{Count: 1}
		if len(sample.Value) > 0 {
			g.Count = int(min(max(sample.Value[0], 1), 1<<30))
		}
		for _, l := range sample.Location {
			for _, line := range l.Line {
				if line.Function != nil && len(g.Frames) < maxDepth {
					g.Frames = append(g.Frames, Frame{Func: line.Function.Name, File: line.Function.Filename, Line: int(line.Line)})
				}
			}
		}
		g.Reason = reasonOf(g.Frames)
		t.folder.Add(g)
	}
	t.end()
	return t.states, nil
}

// countsGoroutines says what a profile counts, and sets the kind.
func countsGoroutines(p *profile.Profile, s *State) bool {
	what := ""
	for _, t := range p.SampleType {
		what = cmp.Or(what, t.Type)
	}
	if p.PeriodType != nil {
		what += " " + p.PeriodType.Type
	}
	if strings.Contains(what, "leak") {
		s.Kind = LeakProfile
	}
	return strings.Contains(what, "goroutine")
}

func unpacked(r io.Reader) ([]byte, error) {
	z, err := newGzip(r)
	if err != nil {
		return nil, fmt.Errorf("unpack it: %w", err)
	}
	data, err := io.ReadAll(io.LimitReader(z, maxProfile+1))
	switch {
	case len(data) > maxProfile:
		return nil, fmt.Errorf("it has more than %d MB when unpacked", maxProfile>>20)
	case err != nil && len(data) == 0:
		return nil, fmt.Errorf("unpack it: %w", err)
	}
	return data, nil
}

// recovered makes an error of a panic in a library: what it reads is not trusted.
func recovered(what string, err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("it is damaged: reading the %s failed: %v", what, r)
	}
}
