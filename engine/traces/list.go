package traces

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/hocket-dev/hocket/engine/record"
	"github.com/hocket-dev/hocket/engine/tracedb"
)

// List is the answer of traces ls.
type List struct {
	Version  int       `json:"version"`
	Database string    `json:"database,omitempty"` // below the module's root; "" if there is none
	Bytes    int64     `json:"bytes"`
	Programs []Program `json:"programs"` // the one that was recorded last first
	// Files are runs that hocket record keeps, a file each, for hocket find -from.
	Files []Files `json:"files,omitempty"`
	// Warnings name files that can't be read.
	Warnings []string `json:"warnings,omitempty"`
}

// Files are the run files of one target.
type Files struct {
	Package string    `json:"package"`
	Entry   string    `json:"entry"`
	Runs    int       `json:"runs"`
	Failed  int       `json:"failed"`
	Last    time.Time `json:"last"`
	LastID  string    `json:"last_id"`
}

// Program is what the runs of one program are together.
type Program struct {
	Identity
	Runs     int       `json:"runs"`
	Failed   int       `json:"failed"`
	Torn     int       `json:"torn"`     // runs of which the end is missing
	Distinct int       `json:"distinct"` // executions with different paths
	First    time.Time `json:"first"`
	Last     time.Time `json:"last"`
	Machines []string  `json:"machines"` // [] if none has a name
}

// Identity is what tells programs apart.
type Identity struct {
	Package string `json:"package"`
	Entry   string `json:"entry"`
	Mode    string `json:"mode"`
	Content string `json:"program"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

func identity(p *tracedb.Program) Identity {
	return Identity{p.Package, p.Entry, p.Mode, p.Content, p.Go, p.OS, p.Arch}
}

// List lists the programs that have recorded runs.
func (m *Module) List(ctx context.Context) (*List, error) {
	out := &List{Version: Version, Programs: []Program{}}
	if err := m.files(ctx, out); err != nil {
		return nil, err
	}
	db, err := m.open(ctx, tracedb.Options{ReadOnly: true})
	if errors.Is(err, ErrNone) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	defer db.Close()
	out.Database = filepath.ToSlash(filepath.Join(filepath.Base(filepath.Dir(db.Path())), filepath.Base(db.Path())))
	if info, err := os.Stat(db.Path()); err == nil {
		out.Bytes = info.Size()
	}
	groups, err := db.Groups()
	if err != nil {
		return nil, err
	}
	for _, g := range groups {
		out.Programs = append(out.Programs, Program{identity(g.Program), g.Runs, g.Failed, g.Torn, g.Distinct,
			g.First, g.Last, append([]string{}, g.Machines...)})
	}
	return out, nil
}

// files lists the run files, by target.
func (m *Module) files(ctx context.Context, out *List) error {
	dir, err := m.state(ctx, true)
	if err != nil {
		return err
	}
	runs, problems := record.List(filepath.Join(dir, runsFolder))
	out.Warnings = problems
	at := map[[2]string]int{}
	for _, r := range runs { // the newest is the last
		key := [2]string{r.Package, r.Entry}
		i, ok := at[key]
		if !ok {
			i = len(out.Files)
			at[key] = i
			out.Files = append(out.Files, Files{Package: r.Package, Entry: r.Entry})
		}
		f := &out.Files[i]
		f.Runs++
		if r.Outcome != record.Passed {
			f.Failed++
		}
		f.Last, f.LastID = r.Started, r.ID
	}
	return nil
}
