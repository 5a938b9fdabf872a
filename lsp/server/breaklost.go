package server

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/hocket-dev/hocket/breakpoints/breakfile"
	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// The codes of diagnostics about breakpoints.
const (
	codeLost    = "lost-breakpoint"
	codeChanged = "changed-breakpoint"
	codeWrong   = "wrong-breakpoint"
	codeDamaged = "breakpoints-file"
)

// collectLost adds a hint where each side was that can't be found any more, or
// reads differently, and says what is wrong with the file of the breakpoints.
func (p *publisher) collectLost(ctx context.Context, v View, m *Module, wanted map[protocol.URI]*protocol.PublishDiagnosticsParams) {
	list, problem, _ := m.breaks.in(ctx, v, m)
	if problem != "" {
		if f, ok := v.File(protocol.FileURI(filepath.Join(m.Root(), breakfile.Folder, breakfile.Name))); ok {
			r, _ := f.Mapper().GoLine(1)
			into := of(wanted, f)
			into.Diagnostics = append(into.Diagnostics, ownDiagnostic(r, protocol.DiagnosticSeverityWarning, codeDamaged, problem))
		}
	}
	for _, b := range list {
		collectWrong(v, b, wanted)
		for i := range b.Places {
			side := &b.Places[i]
			if side.Lost == "" && side.Changed == "" || side.Path == "" || b.Off {
				continue
			}
			f, ok := v.File(protocol.FileURI(side.Path))
			if !ok {
				continue // the command line tells of it; there is no text to put a hint on
			}
			code, at := codeLost, lineRange(f.Mapper(), side.Line)
			if side.Lost == "" {
				code, at = codeChanged, sideRange(f, side)
			}
			d := ownDiagnostic(at, protocol.DiagnosticSeverityHint, code, lostMessage(b, i))
			d.Data = protocol.Any(map[string]any{"breakpoint": b.ID})
			into := of(wanted, f)
			into.Diagnostics = append(into.Diagnostics, d)
		}
	}
}

// collectWrong adds a hint, at the first of its statements that there is, for a
// breakpoint that has a value in the breakpoints file that can't be.
func collectWrong(v View, b *present.Break, wanted map[protocol.URI]*protocol.PublishDiagnosticsParams) {
	if b.Wrong == "" || b.Off {
		return
	}
	for i := range b.Places {
		side := &b.Places[i]
		f, ok := v.File(protocol.FileURI(side.Path))
		if !ok || side.Path == "" || side.Lost != "" {
			continue
		}
		message := fmt.Sprintf("breakpoint %s in %s/%s is wrong: %s", b.ID, breakfile.Folder, breakfile.Name, b.Wrong)
		d := ownDiagnostic(sideRange(f, side), protocol.DiagnosticSeverityHint, codeWrong, message)
		d.Data = protocol.Any(map[string]any{"breakpoint": b.ID})
		into := of(wanted, f)
		into.Diagnostics = append(into.Diagnostics, d)
		return
	}
}

func lostMessage(b *present.Break, i int) string {
	s := &b.Places[i]
	if s.Lost == "" {
		return fmt.Sprintf("breakpoint %s, side %d of %d reads differently now: %s; accept it (code action), or set it anew", b.ID, i+1, len(b.Places), s.Changed)
	}
	return fmt.Sprintf("breakpoint %s, side %d of %d is lost: %s (%s); set it anew, or remove it", b.ID, i+1, len(b.Places), s.Lost, present.Clip(oneLine(s.Text), 60))
}

func ownDiagnostic(r protocol.Range, severity protocol.DiagnosticSeverity, code, message string) protocol.Diagnostic {
	return protocol.Diagnostic{Range: r, Severity: severity, Source: protocol.Some(section), Code: protocol.String(code), Message: protocol.String(message)}
}

// lineRange is a line that may not be there any more.
func lineRange(m *protocol.Mapper, line int) protocol.Range {
	for ; line > 1; line-- {
		if r, ok := m.GoLine(line); ok {
			return r
		}
	}
	r, _ := m.GoLine(1)
	return r
}
