package traces

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/hocket-dev/hocket/engine/tracedb"
)

// List is the answer of traces ls.
type List struct {
	Version  int       `json:"version"`
	Database string    `json:"database,omitempty"` // below the module's root; "" if there is none
	Bytes    int64     `json:"bytes"`
	Programs []Program `json:"programs"` // the one that was recorded last first
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

// ListOf lists the programs with recorded runs of the module around dir.
func ListOf(ctx context.Context, dir string) (*List, error) {
	out := &List{Version: Version, Programs: []Program{}}
	db, err := Open(ctx, dir, tracedb.Options{ReadOnly: true})
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
