package dump

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/google/pprof/profile"
)

// isProfile tells profiles in the protocol buffer form, which are compressed.
func isProfile(head []byte) bool { return bytes.HasPrefix(head, []byte{0x1f, 0x8b}) }

// Bounds of what is unpacked, in bytes, and of a profile, of which a byte may become many
// in memory.
const (
	maxUnpacked = 64 << 20
	maxProfile  = 6 << 20
	maxParts    = 200_000 // samples, places, functions and texts
)

// readProfile reads a goroutine profile, or a text that is compressed.
func readProfile(r io.Reader) (states []*State, err error) {
	defer recovered("goroutine profile", &err)
	data, err := unpacked(r)
	if err != nil {
		return nil, err
	}
	parts, ok := partsOf(data)
	if ok && (parts > maxParts || len(data) > maxProfile) {
		return nil, fmt.Errorf("it is a profile of %d parts in %d MB, and %d parts in %d MB are read; take /debug/pprof/goroutine?debug=1", parts, len(data)>>20, maxParts, maxProfile>>20)
	}
	var p *profile.Profile
	if ok {
		p, err = profile.ParseUncompressed(data)
	}
	if !ok || err != nil {
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

// partsOf counts the fields of a protocol buffer; ok is false if data is none.
func partsOf(data []byte) (n int, ok bool) {
	for len(data) > 0 {
		tag, w := binary.Uvarint(data)
		if w <= 0 {
			return n, false
		}
		size := uint64(0)
		switch data = data[w:]; tag & 7 {
		case 0: // a number
			_, w = binary.Uvarint(data)
			size = uint64(max(w, 0))
		case 1:
			size, w = 8, 1
		case 2: // a text or message, after its length
			size, w = binary.Uvarint(data)
			data = data[max(w, 0):]
		case 5:
			size, w = 4, 1
		default:
			w = 0
		}
		if w <= 0 || size > uint64(len(data)) {
			return n, false
		}
		data = data[size:]
		n++
	}
	return n, n > 0
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
	data, err := io.ReadAll(io.LimitReader(z, maxUnpacked+1))
	switch {
	case len(data) > maxUnpacked:
		return nil, fmt.Errorf("it has more than %d MB when unpacked", maxUnpacked>>20)
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
