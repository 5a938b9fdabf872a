package server

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/hocket-dev/hocket/lsp/protocol"
)

// ErrNoShutdown means that the client went away, or sent "exit", without
// "shutdown" before; the exit code is 1 then (LSP specification, "exit").
var ErrNoShutdown = errors.New("the client ended the session without shutdown")

// The stages of a session.
const (
	beforeInitialize int32 = iota
	running
	afterShutdown
)

// session is what initialize agreed on. Features read it, nobody writes it.
type session struct {
	capabilities protocol.ClientCapabilities
	client       protocol.ClientInfo // zero if the client does not say
	encoding     protocol.Encoding
	trace        protocol.TraceValue // until $/setTrace

	progress      bool   // window/workDoneProgress/create
	configuration bool   // workspace/configuration
	lensRefresh   bool   // workspace/codeLens/refresh
	showDocument  bool   // window/showDocument
	markdown      string // general.markdown.parser, such as "marked"; "" if the client does not say
	debugs        bool   // experimental.hocketDebug: it starts debug adapters
	marks         bool   // experimental.hocketBreakpoints: it shows breakpoints, and asks for the second place
	changes       bool   // experimental.hocketChanges: it asks again for what it lists when that has changed

	registerSettings bool // may register for workspace/didChangeConfiguration
	registerWatching bool // may register for workspace/didChangeWatchedFiles
}

func (s *Server) coreRequests() map[string]prepareFunc {
	return map[string]prepareFunc{
		protocol.MethodInitialize: s.initialize,
		protocol.MethodShutdown:   s.shutdown,
	}
}

func (s *Server) coreNotifications() map[string]notifyFunc {
	return map[string]notifyFunc{
		protocol.MethodInitialized: onNotification(s.initialized),
		protocol.MethodExit:        onNotification(s.exit),
		protocol.MethodSetTrace:    onNotification(s.setTrace),

		protocol.MethodTextDocumentDidOpen:   onNotification(s.didOpen),
		protocol.MethodTextDocumentDidChange: onNotification(s.didChange),
		protocol.MethodTextDocumentDidSave:   onNotification(s.didSave),
		protocol.MethodTextDocumentDidClose:  onNotification(s.didClose),

		protocol.MethodWorkspaceDidChangeConfiguration:    onNotification(s.didChangeConfiguration),
		protocol.MethodWorkspaceDidChangeWorkspaceFolders: onNotification(s.didChangeWorkspaceFolders),
		protocol.MethodWorkspaceDidChangeWatchedFiles:     onNotification(s.didChangeWatchedFiles),
		protocol.MethodWindowWorkDoneProgressCancel:       onNotification(s.workDoneProgressCancel),
	}
}

// admit answers requests that come at the wrong stage.
func (s *Server) admit(method string) error {
	switch stage := s.stage.Load(); {
	case stage == beforeInitialize && method != protocol.MethodInitialize:
		return protocol.NewError(protocol.ServerNotInitialized, "the first request must be initialize")
	case stage == running && method == protocol.MethodInitialize:
		return protocol.NewError(protocol.InvalidRequest, "initialize was already sent")
	case stage == afterShutdown:
		return protocol.NewError(protocol.InvalidRequest, "the server was shut down: only exit may follow")
	}
	return nil
}

// listens reports whether notifications are handled at this stage.
func (s *Server) listens(method string) bool {
	return s.stage.Load() == running || method == protocol.MethodExit
}

// initialize does its work when it arrives, so that what follows it finds the
// session set up.
func (s *Server) initialize(_ context.Context, params json.RawMessage) (protocol.Work, error) {
	p, err := decode[protocol.InitializeParams](params)
	if err != nil {
		return nil, err
	}
	s.session = sessionOf(p)
	s.docs.SetEncoding(s.session.encoding)
	s.applySettings(p.InitializationOptions, "initializationOptions")
	s.workspace.setFolders(foldersOf(p))
	if p.ProcessID != nil && *p.ProcessID > 0 {
		s.Go(func(ctx context.Context) { s.watchParent(ctx, int(*p.ProcessID)) })
	}
	s.stage.Store(running)
	s.log.Info("initialize", "client", p.ClientInfo.Name, "encoding", s.session.encoding.Kind())
	result := s.initializeResult()
	return func(context.Context) (any, error) { return result, nil }, nil
}

func sessionOf(p *protocol.InitializeParams) session {
	c := p.Capabilities
	out := session{capabilities: c, client: p.ClientInfo, trace: p.Trace}
	if g := c.General; g != nil {
		out.encoding = protocol.ChooseEncoding(g.PositionEncodings)
		out.markdown = g.Markdown.Parser
	}
	if w := c.Window; w != nil {
		out.progress = is(w.WorkDoneProgress)
		out.showDocument = w.ShowDocument != nil && w.ShowDocument.Support
	}
	if w := c.Workspace; w != nil {
		out.configuration = is(w.Configuration)
		out.lensRefresh = w.CodeLens != nil && is(w.CodeLens.RefreshSupport)
		out.registerSettings = w.DidChangeConfiguration != nil && is(w.DidChangeConfiguration.DynamicRegistration)
		out.registerWatching = w.DidChangeWatchedFiles != nil && is(w.DidChangeWatchedFiles.DynamicRegistration)
	}
	var e struct{ HocketDebug, HocketBreakpoints, HocketChanges bool }
	if len(c.Experimental) > 0 && json.Unmarshal(c.Experimental, &e) == nil {
		out.debugs, out.marks, out.changes = e.HocketDebug, e.HocketBreakpoints, e.HocketChanges
	}
	return out
}

func is(b *bool) bool { return b != nil && *b }

func (s *Server) initializeResult() *protocol.InitializeResult {
	on := true
	kind := protocol.TextDocumentSyncKindIncremental
	r := &protocol.InitializeResult{
		ServerInfo: protocol.ServerInfo{Name: "hocket", Version: protocol.Some(s.opts.Version)},
		Capabilities: protocol.ServerCapabilities{
			TextDocumentSync: &protocol.TextDocumentSyncOptions{OpenClose: &on, Change: &kind, Save: protocol.Boolean(true)},
			Workspace: &protocol.WorkspaceOptions{WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
				Supported: &on, ChangeNotifications: protocol.Boolean(true)}},
		},
	}
	if len(s.positionEncodings()) > 0 {
		r.Capabilities.PositionEncoding = s.session.encoding.Kind()
	}
	for _, f := range s.features {
		if f.capabilities != nil {
			f.capabilities(&r.Capabilities)
		}
	}
	return r
}

func (s *Server) positionEncodings() []protocol.PositionEncodingKind {
	if g := s.session.capabilities.General; g != nil {
		return g.PositionEncodings
	}
	return nil
}

// initialized starts what sends the client messages that it did not ask for.
func (s *Server) initialized(context.Context, *none) error {
	s.trace(s.session.trace)
	s.Go(func(ctx context.Context) {
		s.register(ctx)
		s.pullSettings(ctx)
		s.nowReady()
		s.each(func(f *feature) {
			if f.ready != nil {
				f.ready(ctx)
			}
		})
		s.Refresh()
	})
	return nil
}

// untilReady waits until the server may send the client messages that it did not
// ask for.
// It is false if the session ended before.
func (s *Server) untilReady(ctx context.Context) bool {
	select {
	case <-s.ready:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// lingering is how long a server waits for exit after shutdown. Clients that gave up
// waiting for its answer never send it, and may keep the streams open.
const lingering = 10 * time.Second

// shutdown stops all work at its arrival; only exit may follow.
func (s *Server) shutdown(context.Context, json.RawMessage) (protocol.Work, error) {
	s.stage.Store(afterShutdown)
	s.stop()
	time.AfterFunc(lingering, s.conn.Stop)
	return func(context.Context) (any, error) { return nil, nil }, nil
}

func (s *Server) exit(context.Context, *none) error {
	s.conn.Stop()
	return nil
}

// watchParent ends the session when the process that started the server is
// gone: some clients die without closing the streams, because a child of
// theirs has inherited them.
func (s *Server) watchParent(ctx context.Context, pid int) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for alive(pid) {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
	s.log.Warn("the client's process is gone", "pid", pid)
	s.conn.Stop()
}

func (s *Server) setTrace(_ context.Context, p *protocol.SetTraceParams) error {
	s.trace(p.Value)
	return nil
}

func (s *Server) trace(value protocol.TraceValue) {
	if !slices.Contains([]protocol.TraceValue{protocol.TraceValueMessages, protocol.TraceValueVerbose}, value) {
		s.opts.Trace.ToClient(nil)
		return
	}
	s.opts.Trace.ToClient(func(message, verbose string) {
		p := &protocol.LogTraceParams{Message: message}
		if value == protocol.TraceValueVerbose {
			p.Verbose = &verbose
		}
		s.client.LogTrace(s.ctx, p) //nolint:errcheck // a trace is not traced
	})
}
