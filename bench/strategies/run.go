package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// run measures all that is asked for. What is known when it ends early has been
// printed: rows that are complete, the one under way, and the sums.
func run(ctx context.Context, w, progress io.Writer, o options) error {
	tmp, err := os.MkdirTemp("", "hocket-strategies-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	groups, err := gather(ctx, tmp, o)
	if err != nil {
		return err
	}
	c := newClock(groups, o)
	fmt.Fprintln(progress, c.bound())
	var rows []*row
	for _, g := range groups {
		mine, err2 := g.run(ctx, w, progress, c, o)
		rows = append(rows, mine...)
		if err = err2; err != nil {
			break
		}
	}
	if o.json {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		err = errors.Join(err, e.Encode(rows))
	}
	return err
}

// run prints one table.
func (g *group) run(ctx context.Context, w, progress io.Writer, c *clock, o options) (rows []*row, err error) {
	if o.json {
		w = io.Discard
	}
	g.head(w, o)
	defer func() { total(w, rows, o) }()
	for _, p := range g.programs {
		budget, ok := c.next(p.searches(o), o.budget)
		if !ok {
			return rows, fmt.Errorf("%s is used up before %s", o.total, p.Name)
		}
		fmt.Fprintf(progress, "%s: %s, %s of %s\n", c, g.name, p.Name, budget.Round(100*time.Millisecond))
		r := measure(ctx, g, p, o, budget)
		rows = append(rows, r)
		r.print(w, o)
		if ctx.Err() != nil {
			return rows, errors.New("interrupted; the last line is not complete")
		}
	}
	return rows, nil
}

// searches is how many are made of the program, at most.
func (p *program) searches(o options) int {
	n := o.seeds * len(o.strategies)
	if p.Fixed != "" && o.twin != "" {
		n++
	}
	return n
}

// clock shares -total out among programs.
type clock struct {
	now          func() time.Time
	start        time.Time
	total        time.Duration
	budget       time.Duration
	searches     int // all of them
	left         int // of them, not begun
	programs, at int
}

func newClock(groups []*group, o options) *clock {
	c := &clock{now: time.Now, total: o.total, budget: o.budget}
	c.start = c.now()
	for _, g := range groups {
		for _, p := range g.programs {
			c.searches += p.searches(o)
			c.programs++
		}
	}
	c.left = c.searches
	return c
}

// share is by how much a search may exceed its even share of the time that is
// left: most end long before their budget does.
const share = 4

// least is the shortest budget with which a search is begun.
const least = 100 * time.Millisecond

// next is the budget of each of the n searches of the next program: at most want,
// and never so much that the time that is left would not suffice for all n. It is
// not ok when no time is left.
func (c *clock) next(n int, want time.Duration) (budget time.Duration, ok bool) {
	left := c.total - c.now().Sub(c.start)
	budget = min(want, share*left/time.Duration(max(1, c.left)), left/time.Duration(max(1, n)))
	c.left -= n
	c.at++
	return budget, budget >= least
}

// bound says how long all will take at most.
func (c *clock) bound() string {
	worst := time.Duration(c.searches) * c.budget
	s := fmt.Sprintf("%d programs, %d searches of %s: %s at most without builds", c.programs, c.searches, c.budget, worst.Round(time.Second))
	if worst > c.total {
		s += fmt.Sprintf("; later ones get less when %s come near", c.total)
	}
	return s
}

// String is how far it is.
func (c *clock) String() string {
	passed := c.now().Sub(c.start)
	return fmt.Sprintf("%d of %d programs, %s, at most %s left", c.at, c.programs, passed.Round(time.Second), (c.total - passed).Round(time.Second))
}
