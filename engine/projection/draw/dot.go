package draw

import (
	"fmt"
	"strings"

	"github.com/hocket-dev/hocket/engine/projection"
)

// DOT is the explanation as a graph for Graphviz: a node for each step of either run,
// solid edges for the order within a goroutine, dashed ones for values. What differs
// between the runs is bold.
func DOT(p *projection.Projection) string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph hocket {\n\tlabel=%s; labelloc=t; fontname=monospace;\n\tnode [shape=box, fontname=monospace, fontsize=11];\n\tedge [fontname=monospace, fontsize=10];\n", quote(line(p.Headline())+"\n"+line(plain(p.Sentence))))
	for i, c := range columns(p) {
		graph(&b, p, c, i)
	}
	b.WriteString("}\n")
	return b.String()
}

func graph(b *strings.Builder, p *projection.Projection, c column, n int) {
	fmt.Fprintf(b, "\tsubgraph cluster_%d {\n\t\tlabel=%s;\n", n, quote(c.title))
	for i, name := range lanes(p.Rows) {
		fmt.Fprintf(b, "\t\tsubgraph cluster_%d_%d {\n\t\t\tlabel=%s;\n", n, i, quote(line(name)))
		for _, s := range c.steps {
			if s.lane == i {
				fmt.Fprintf(b, "\t\t\t%s [label=%s%s];\n", id(n, s), quote(caption(p, s)), look(s))
			}
		}
		b.WriteString("\t\t}\n")
	}
	last := map[int]step{}
	for _, s := range c.steps {
		if before, ok := last[s.lane]; ok {
			fmt.Fprintf(b, "\t\t%s -> %s;\n", id(n, before), id(n, s))
		}
		last[s.lane] = s
	}
	for _, a := range c.arrows {
		bold := ""
		if a.changed {
			bold = ", penwidth=3"
		}
		fmt.Fprintf(b, "\t\t%s -> %s [style=dashed, constraint=false, label=\"value\"%s];\n", id(n, c.steps[a.from]), id(n, c.steps[a.to]), bold)
	}
	b.WriteString("\t}\n")
}

func id(column int, s step) string { return fmt.Sprintf("s%d_%d", column, s.number) }

func caption(p *projection.Projection, s step) string {
	return fmt.Sprintf("%d: line %s: %s\n%s", s.number, p.Where(s.row), line(s.row.Code), line(s.happens))
}

func look(s step) (attributes string) {
	if s.differs {
		attributes += ", penwidth=3"
	}
	switch s.role {
	case projection.Fails:
		attributes += ", peripheries=2"
	case projection.Waits:
		attributes += ", style=dashed"
	}
	return attributes
}

// quote makes a quoted string of DOT; a new line centres what it ends.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
