package breakview

import (
	"path/filepath"
	"time"

	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// Wire is the view as it is sent to clients, with the pending statement if that
// is one of the module's.
func (v *View) Wire(style present.Style, p *Pending) *protocol.Breakpoints {
	out := &protocol.Breakpoints{Root: protocol.FileURI(v.module.Root()), Breakpoints: make([]protocol.Breakpoint, 0, len(v.Breaks)), Problem: v.Problem}
	for _, b := range v.Breaks {
		out.Breakpoints = append(out.Breakpoints, v.WireBreak(b, style))
	}
	if first, ok := p.In(v.docs); ok && first.Root == v.module.Root() {
		out.Pending = first.Wire()
	}
	return out
}

// WireBreak is one of the view's breakpoints as it is sent to clients.
func (v *View) WireBreak(b *present.Break, style present.Style) protocol.Breakpoint {
	out := protocol.Breakpoint{ID: b.ID, Kind: b.KindName(), If: b.If, Order: b.Releases(), Timeout: b.Timeout,
		IgnoreFirst: b.IgnoreFirst, AtMost: b.AtMost, Off: b.Off, Note: b.Note,
		Sides: make([]protocol.BreakpointSide, 0, len(b.Places)), Hover: b.Hover(0, style)}
	for i := range b.Places {
		side := &b.Places[i]
		w := protocol.BreakpointSide{Side: i + 1, Of: len(b.Places), Order: b.Turn(i + 1), Label: side.Func, Changed: side.Changed, Lost: side.Lost, Text: side.Text}
		w.URI, w.Range = v.rangeOf(side)
		out.Sides = append(out.Sides, w)
	}
	if l := b.Last; l != nil {
		out.Last = &protocol.BreakpointOutcome{Runs: l.Runs, Hits: l.Hits, Failed: l.Failed, When: l.When.Format(time.RFC3339)}
	}
	return out
}

// rangeOf is where a side is, or was if it is lost. A file that can't be read has
// its start.
func (v *View) rangeOf(side *present.Side) (protocol.URI, protocol.Range) {
	path := side.Path
	if path == "" {
		path = filepath.Join(v.module.Root(), filepath.FromSlash(side.File))
	}
	uri := protocol.FileURI(path)
	f, ok := v.docs.File(uri)
	if !ok {
		return uri, protocol.Range{}
	}
	return f.URI, Range(f, side)
}
