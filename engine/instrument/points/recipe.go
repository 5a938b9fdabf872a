package points

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hocket-dev/hocket/breakpoints/reproduce"
	"github.com/hocket-dev/hocket/internal/textedit"
)

// Recipe is how one statement gets its points, in terms of its tokens: it can
// be followed in a later text of the file, without this package.
type Recipe struct {
	Line, Col int // of the statement
	Places    []Place
	Edits     []reproduce.Edit
}

// Recipes returns the edits of Inject as recipes. Linger has none: it is about
// a function, not a statement.
func Recipes(name string, src []byte, places []Place) ([]Recipe, []Skip, error) {
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, nil, fmt.Errorf("parse for points: %w", err)
	}
	c := &recipeWriter{file: &file{name: name, src: src, fset: fset, ast: syntax, tok: fset.File(syntax.FileStart), divided: map[ast.Node]bool{}}, byPlace: map[token.Position]*Recipe{}}
	for _, pl := range places {
		c.place(pl)
	}
	c.points()
	c.prefer()
	recipes := slices.SortedFunc(maps.Values(c.byPlace), func(a, b *Recipe) int { return cmp.Or(a.Line-b.Line, a.Col-b.Col) })
	var out []Recipe
	for _, r := range recipes {
		out = append(out, *r)
	}
	return out, c.skipped, nil
}

// recipeWriter writes the recipes of a file. It lets rewrite choose the slots,
// and expresses in tokens what emit expresses in offsets.
type recipeWriter struct {
	*file
	byPlace map[token.Position]*Recipe
	placed  []Place // that went into slots
	skipped []Skip
}

// place lets one place choose its slot; what rewrite writes down as edits is
// written down as a recipe at once.
func (c *recipeWriter) place(pl Place) {
	before := len(c.edits)
	if reason := c.rewrite(pl); reason != "" {
		c.skipped = append(c.skipped, Skip{pl, reason})
		return
	}
	edits := c.edits[before:]
	c.edits = c.edits[:before]
	if len(edits) == 0 {
		c.placed = append(c.placed, pl)
		return
	}
	if pl.Kind == Spawn { // one before and one after each statement that starts goroutines
		for both := range slices.Chunk(edits, 2) {
			c.direct(pl, both)
		}
		return
	}
	c.direct(pl, edits)
}

// direct is for places without a slot of their own: spawns, splits and waits
// on conditions.
func (c *recipeWriter) direct(pl Place, edits []textedit.Edit) {
	from, to := edits[0].From, edits[0].To
	for _, e := range edits {
		from, to = min(from, e.From), max(to, e.To)
	}
	r, a, ok := c.recipe(from, to, pl)
	if !ok {
		return
	}
	switch {
	case len(edits) == 1: // replaces the statement
		r.Edits = append(r.Edits, reproduce.Edit{Form: "replace", From: a.From, To: a.To, Text: edits[0].Text, Rank: edits[0].Order})
	case edits[0].From < edits[0].To: // X += Y -> { hocketv := X; At(n); X = hocketv + (Y) }
		head, ok := reproduce.AnchorOf(c.fset, c.ast, c.src, edits[0].From, edits[0].To)
		if !ok {
			c.skipped = append(c.skipped, Skip{pl, "its point has no place in a single statement"})
			return
		}
		r.Edits = append(r.Edits, reproduce.Edit{Form: "replace", From: head.From, To: head.To, Text: edits[0].Text, Rank: edits[0].Order},
			reproduce.Edit{From: a.From, To: a.To, Then: edits[1].Text})
	case edits[1].From == edits[1].To:
		r.Edits = append(r.Edits, reproduce.Edit{From: a.From, To: a.To, Text: edits[0].Text, Then: edits[1].Text, Rank: edits[0].Order})
	default: // X.Wait() -> CondWait(n, X.Wait)
		call := string(c.src[edits[0].From:edits[1].From])
		r.Edits = append(r.Edits, reproduce.Edit{Form: "replace", From: a.From, To: a.To, Text: edits[0].Text + call + edits[1].Text, Rank: edits[0].Order})
	}
}

// recipe is that of the statement that holds a range of the text.
func (c *recipeWriter) recipe(from, to int, places ...Place) (*Recipe, reproduce.Anchor, bool) {
	a, ok := reproduce.AnchorOf(c.fset, c.ast, c.src, from, to)
	if !ok {
		for _, pl := range places {
			c.skipped = append(c.skipped, Skip{pl, "its point has no place in a single statement"})
		}
		return nil, a, false
	}
	key := token.Position{Line: a.Line, Column: a.Col}
	r := c.byPlace[key]
	if r == nil {
		r = &Recipe{Line: a.Line, Col: a.Col}
		c.byPlace[key] = r
	}
	r.Places = append(r.Places, places...)
	return r, a, true
}

// points writes down the slots, as emit does.
func (c *recipeWriter) points() {
	keys := slices.SortedFunc(maps.Keys(c.slots), func(a, b slotKey) int {
		return cmp.Or(a.from-b.from, b.to-a.to, int(a.kind-b.kind))
	})
	for _, key := range keys {
		sp := c.slots[key]
		from, to := key.from, key.to
		if l, ok := sp.node.(*ast.LabeledStmt); ok {
			from = c.offset(unlabeled(l).Pos())
		}
		r, a, ok := c.recipe(from, to, c.withIDs(sp.ids)...)
		if !ok {
			continue
		}
		ids := strings.Join(sp.ids, ", ")
		at := fmt.Sprintf("%s.At(%s)", alias, ids)
		e := reproduce.Edit{From: a.From, To: a.To, Rank: orderAt}
		switch sp.kind {
		case slotList:
			e.Text = at + "; "
		case slotElseIf:
			e.Text, e.Then = "{ "+at+"; ", " }"
		case slotOperand:
			e.Text, e.Then = operand(ids), ")"
		case slotPost:
			e.Text, e.Then = "func() { "+at+"; ", " }()"
		case slotDeferred:
			e.Then = "; defer " + at
		case slotValue:
			e.Text, e.Then, e.Rank = alias+".Then(", ", "+ids+")", orderWrap
		case slotRange:
			e.Form, e.Text = "loop", at
		}
		r.Edits = append(r.Edits, e)
	}
}

func (c *recipeWriter) withIDs(ids []string) []Place {
	var out []Place
	for _, pl := range c.placed {
		if slices.Contains(ids, strconv.Itoa(pl.ID)) {
			out = append(out, pl)
		}
	}
	return out
}

// prefer writes down the preferred cases of selects.
func (c *recipeWriter) prefer() {
	for sel, cases := range c.selects {
		r, _, ok := c.recipe(c.offset(sel.Pos()), c.offset(sel.End()))
		if !ok {
			continue
		}
		for _, p := range cases {
			r.Edits = append(r.Edits, reproduce.Edit{Form: "select", To: -1, Rank: orderWrap,
				Text: condition(p.comm), Case: reproduce.Normalize(c.text(p.clause.Comm))})
		}
	}
}

// condition is the beginning of the If around the channel of a preferred case.
func condition(comm string) string {
	_, rest, _ := strings.Cut(comm, alias+".If(")
	id, _, _ := strings.Cut(rest, ",")
	return alias + ".If(" + id + ", "
}
