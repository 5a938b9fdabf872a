package trace

import (
	"encoding/json"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/hocket-dev/hocket/engine/site"
)

// scheduleVersion is that of a Schedule as JSON, in which findings are stored.
// Version 1 had no number; its hot places were program counters of one build and
// the lines that they were on. Up to version 2 segments that await did so without
// a limit. Up to version 3 none was cut off early. Up to version 4 all were of
// sequential consistency.
const scheduleVersion = 5

// fields are a Schedule's, without its methods.
type fields Schedule

// MarshalJSON writes the newest version.
func (s Schedule) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Version int
		fields
	}{scheduleVersion, fields(s)})
}

// UnmarshalJSON reads all versions.
func (s *Schedule) UnmarshalJSON(data []byte) error {
	var file struct {
		Version int
		fields
		HotSites []string // of version 1
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return err
	}
	if file.Version > scheduleVersion {
		return fmt.Errorf("a schedule of version %d; this hocket reads up to %d", file.Version, scheduleVersion)
	}
	*s = Schedule(file.fields)
	if file.Version < 3 {
		s.Delay = delayBefore(s.Segments)
	}
	for _, text := range s.Hot {
		if _, err := site.Parse(text); err != nil {
			return err
		}
	}
	if file.Version < 2 {
		s.Hot = sitesOfLines(file.HotSites)
	}
	return nil
}

// delayBefore is the Delay of a schedule from before there was one.
func delayBefore(segs []Segment) int64 {
	if slices.ContainsFunc(segs, func(g Segment) bool { return g.Await }) {
		return math.MaxInt64
	}
	return 0
}

// sitesOfLines makes sites of the places "file:line" of earlier versions. Those
// without a line are left out.
func sitesOfLines(places []string) (sites []string) {
	for _, p := range places {
		i := strings.LastIndexByte(p, ':')
		if i < 0 {
			continue
		}
		if line, err := strconv.Atoi(p[i+1:]); err == nil {
			sites = append(sites, site.OfLine(path.Clean(p[:i]), line).String())
		}
	}
	slices.Sort(sites)
	return slices.Compact(sites)
}
