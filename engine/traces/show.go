package traces

import (
	"context"
	"time"

	"github.com/hocket-dev/hocket/engine/tracedb"
)

// Run is the answer of traces show.
type Run struct {
	Version int    `json:"version"`
	ID      string `json:"id"`
	Identity
	Machine string    `json:"machine,omitempty"`
	Time    time.Time `json:"time"`
	Seed    uint64    `json:"seed"`
	Outcome string    `json:"outcome"`
	Failure string    `json:"failure,omitempty"`
	Torn    bool      `json:"torn,omitempty"`
	Threads []Thread  `json:"threads"`
}

// Thread is the path of one goroutine.
type Thread struct {
	Name string `json:"name"`
	Site string `json:"site,omitempty"` // where it was started
	// Of the Paths recorded of this site and program, Same are equal to this one,
	// itself included.
	Same   int      `json:"same"`
	Paths  int      `json:"paths"`
	Tokens []uint64 `json:"tokens"`
	// Steps are the tokens in words, if they are outcomes of branches at known places.
	Steps []Step `json:"steps,omitempty"`
}

// Step is the outcome of one branch.
type Step struct {
	Func  string `json:"func"`
	Line  string `json:"line,omitempty"` // file:line
	Index int    `json:"index"`          // of the branch in its function, from 0
	Taken bool   `json:"taken"`
}

// Show returns the run that an id, the beginning of one, or "last" names.
func (m *Module) Show(ctx context.Context, name string) (*Run, error) {
	db, err := m.open(ctx, tracedb.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	r, err := db.Run(name)
	if err != nil {
		return nil, err
	}
	out := &Run{Version: Version, ID: r.ID.String(), Identity: identity(r.Program), Machine: r.Machine, Time: r.Time, Seed: r.Seed,
		Outcome: r.Outcome, Failure: r.Failure, Torn: r.Torn, Threads: []Thread{}}
	for i := range r.Threads {
		t := &r.Threads[i]
		out.Threads = append(out.Threads, Thread{t.Name, t.Site, r.Same[i], r.Paths[i], append([]uint64{}, t.Tokens...), steps(r.Program, t.Tokens)})
	}
	return out, nil
}

func steps(p *tracedb.Program, tokens []uint64) []Step {
	var out []Step
	for _, t := range tokens {
		if t/2 >= uint64(len(p.Sites)) {
			return nil
		}
		s := p.Sites[t/2]
		out = append(out, Step{s.Func, s.Line, s.Index, t%2 == 1})
	}
	return out
}
