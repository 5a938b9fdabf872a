package draw

import (
	"cmp"
	"slices"

	"github.com/hocket-dev/hocket/engine/projection"
)

// column is one of the two runs as the picture shows it.
type column struct {
	title  string
	steps  []step
	arrows []arrow
}

// step is a row of the explanation in one run.
type step struct {
	number  int // of the row, from 1: the same in both columns
	row     projection.Row
	lane    int
	happens string // in this run
	differs bool   // from the other run
	role    projection.Role
	// What only walks have (walk.go).
	walked int // number of the step in its run
	until  int // a fold: the number of its last step
	led    int // the switch just before it
}

// arrow leads from the step that wrote a value to the step that saw it: indexes of steps.
type arrow struct {
	from, to int
	changed  bool // in the other run that step saw the value of another one
}

// lanes are the goroutines in the order in which the rows name them.
func lanes(rows []projection.Row) (names []string) {
	for _, r := range rows {
		if !slices.Contains(names, r.Goroutine) {
			names = append(names, r.Goroutine)
		}
	}
	return names
}

// columns are the failing run and, if there was one to compare with, the passing run.
func columns(p *projection.Projection) []column {
	out := []column{failing(p)}
	if p.Compared {
		out = append(out, passing(p))
	}
	return out
}

func failing(p *projection.Projection) column {
	c := column{title: "failing run"}
	names := lanes(p.Rows)
	for i, r := range p.Rows {
		if r.Role != projection.OnlyPassing {
			c.steps = append(c.steps, step{number: i + 1, row: r, lane: slices.Index(names, r.Goroutine), happens: r.Failing, differs: differs(r), role: r.Role})
		}
	}
	c.connect(func(r projection.Row) int { return r.From })
	return c
}

func passing(p *projection.Projection) column {
	c := column{title: "passing run"}
	names := lanes(p.Rows)
	for i, r := range p.Rows {
		if r.PassOrder > 0 {
			c.steps = append(c.steps, step{number: i + 1, row: r, lane: slices.Index(names, r.Goroutine), happens: cmp.Or(r.Nearest, r.Passing), differs: differs(r)})
		}
	}
	slices.SortStableFunc(c.steps, func(a, b step) int { return cmp.Compare(a.row.PassOrder, b.row.PassOrder) })
	c.connect(func(r projection.Row) int { return r.PassFrom })
	return c
}

// differs leaves out rows that tell of another passing run than the one that is drawn.
func differs(r projection.Row) bool { return r.Differs && r.Nearest == "" }

// connect adds an arrow for each step that saw the value of another step of the column.
func (c *column) connect(from func(projection.Row) int) {
	for i, s := range c.steps {
		source := from(s.row)
		j := slices.IndexFunc(c.steps, func(o step) bool { return o.number == source })
		if j >= 0 && j != i {
			c.arrows = append(c.arrows, arrow{j, i, s.row.From != s.row.PassFrom})
		}
	}
}
