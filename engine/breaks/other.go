package breaks

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/breakpoints/breakfile"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/words"
)

// OtherOrder is what happened when the two sides of the one breakpoint went on the other
// way round.
type OtherOrder struct {
	Order    []int     `json:"order"`
	Runs     int       `json:"runs"`
	Hits     int       `json:"hits"`
	Failed   int       `json:"failed"`
	Failures []Failure `json:"failures"`
}

// otherRuns is how often the other order is tried at most.
const otherRuns = 20

// tryOther runs the program in the other order if that may be the one that fails: the
// sides have met, and no run failed. Two orders are all that two sides have; which of them
// is the bug, a person who sets them can't always tell.
func tryOther(ctx context.Context, env *target.Env, meet []*Break, opt RunOptions, res *Ran, tell progress.Func) {
	if len(meet) != 1 || len(meet[0].Sides) != 2 || meet[0].Kind == breakfile.Order || res.Failed > 0 || res.Hits == 0 || res.Cut {
		return
	}
	b := *meet[0]
	turned := *b.Breakpoint
	turned.Order = []int{2, 1}
	if slices.Equal(b.Order, turned.Order) {
		turned.Order = []int{1, 2}
	}
	b.Breakpoint = &turned
	opt.N, opt.Plain = min(opt.N, otherRuns), 0
	p, err := newProgram(ctx, env, []*Break{&b}, opt, nil, false)
	if ctx.Err() != nil {
		return // what was asked for is there
	}
	if err != nil {
		res.Notes = append(res.Notes, "the other order was not tried: "+words.OneLine(err.Error()))
		return
	}
	defer p.Close()
	r := &runner{opt: opt, prog: p, tell: tell, started: time.Now()}
	if err := r.all(ctx); err != nil && ctx.Err() == nil {
		res.Notes = append(res.Notes, "the other order was not tried to the end: "+words.OneLine(err.Error()))
		return
	}
	if len(r.runs) == 0 {
		return
	}
	other := r.result()
	res.Other = &OtherOrder{Order: turned.Order, Runs: other.Runs, Hits: other.Hits, Failed: other.Failed, Failures: other.Failures}
	if other.Failed > 0 {
		order := strings.Trim(strings.ReplaceAll(fmt.Sprint(turned.Order), " ", ","), "[]")
		res.Notes = append(res.Notes, fmt.Sprintf("in the other order: hit in %d of %s, failed %d (%s); hocket break edit -order %s %s makes it so",
			other.Hits, words.Count(other.Runs, "run"), other.Failed, words.FirstLine(other.Failures[0].Message), order, b.ID))
	}
}
