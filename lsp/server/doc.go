// Package server is the language server: one Server for one session with one
// client. It decides nothing about concurrency bugs; it shows what package
// engine says, and starts jobs.
//
// # How a feature is added
//
// A feature is one file with a method that returns its part of the server, and
// one line in features.go:
//
//	func (s *Server) hoverFeature() *feature {
//		return &feature{
//			name:     "hover",
//			requests: map[string]prepareFunc{protocol.MethodTextDocumentHover: onRequest(s, s.hover)},
//			capabilities: func(c *protocol.ServerCapabilities) { c.HoverProvider = protocol.Boolean(true) },
//		}
//	}
//
//	func (s *Server) hover(ctx context.Context, v View, p *protocol.HoverParams) (*protocol.Hover, error) {
//		f, ok := v.File(p.TextDocument.URI)   // the text when the request arrived
//		if !ok { return nil, nil }
//		at := f.Mapper().Offset(p.Position)   // bytes from here on
//		m, ok := s.ModuleOf(f.URI)            // not ok: no file, or in no module
//		found := m.Findings(ctx)              // waits for the first reading only
//		...
//	}
//
// type feature lists the other hooks: after edits (changed), after anything else
// that is shown has changed (refresh), once the client may be talked to (ready),
// at the end (stop).
//
// What a feature finds on the Server:
//
//   - View: Files (snapshot of the documents) and Settings, as they were when
//     the request arrived. s.view() takes one of now, for goroutines.
//   - files.File: URI, Path ("" for what is not a file), Open, Version, Text,
//     Mapper(): Offset, Position, Range; GoPosition, GoLine, GoLineColumn for
//     lines and byte columns from 1, as Go tools and findings have them.
//   - s.ModuleOf(uri), s.Modules(): the module's root, names to paths
//     (Module.Abs), findings.
//   - s.client: the typed client. Calls that wait for a response are for the
//     work of requests and for s.Go, never for notifications and changed hooks:
//     those run on the reading goroutine (such a call fails with an error).
//   - s.session: what the client can do (progress, lensRefresh, showDocument,
//     markdown).
//   - s.Begin: work-done progress, with its cancel.
//   - s.Refresh(): makes all refresh hooks run soon; call it when anything that
//     is shown has changed. It may be called from everywhere and never blocks.
//   - s.Go: a goroutine that the server waits for at its end; it must end soon
//     after its context does.
//   - s.opts.Command: how to start hocket.
//
// Errors: a handler returns protocol.Errorf(code, …) to choose the code; its
// context's error becomes -32800 by itself; a panic is caught, logged and
// answered with -32603.
//
// # Invariants
//
//   - Opening a folder or a file runs nothing and writes nothing, unless the
//     setting hocket.conflicts is "save".
//   - Breakpoints are located in the texts of the view, each text once; the
//     file is read again when it changes, whoever changes it. Type checks,
//     builds and runs are children.
//   - A request sees the documents and settings as they were when it arrived.
//   - Before initialize every other request is answered with -32002, after
//     shutdown with -32600; notifications are ignored then.
//   - All goroutines have ended when Run returns.
package server
