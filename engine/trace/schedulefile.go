package trace

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/hocket-dev/hocket/engine/site"
)

// scheduleVersion is that of a Schedule as JSON, in which findings are stored.
// Version 1 had no number; its hot places were program counters of one build and
// the lines that they were on.
const scheduleVersion = 2

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
