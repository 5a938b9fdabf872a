package breaks

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/internal/atomicfile"
)

// lastBreaksFile has the newest results, by breakpoint. It is not committed.
const lastBreaksFile = "last-breaks.json"

// lastBreaks reads the newest results of the module at root. What can't be read
// counts as absent: these results are a convenience.
func lastBreaks(root string) map[string]*Last {
	data, err := os.ReadFile(filepath.Join(root, store.Folder, lastBreaksFile))
	var last map[string]*Last
	if err != nil || json.Unmarshal(data, &last) != nil || last == nil {
		return map[string]*Last{}
	}
	return last
}

// keepLastBreaks adds results to those of the module at root.
func keepLastBreaks(root string, results map[string]*Last) error {
	s, err := store.Open(root)
	if err != nil {
		return err
	}
	all := lastBreaks(root)
	for id, r := range results {
		if all[id] = r; r == nil {
			delete(all, id)
		}
	}
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WriteCache(filepath.Join(s.Dir(), lastBreaksFile), append(data, '\n'))
}
