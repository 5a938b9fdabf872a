package server

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/hocket-dev/hocket/lsp/breakview"
	"github.com/hocket-dev/hocket/lsp/conflictview"
	"github.com/hocket-dev/hocket/lsp/files"
	"github.com/hocket-dev/hocket/lsp/jobs"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// Options of a server.
type Options struct {
	Version string   // of hocket, for serverInfo
	Command []string // how to start hocket for a job: program and first arguments
	Log     *slog.Logger
	Trace   *protocol.Trace // what $/setTrace switches; may be nil
}

// Server is one session with one client. It is the protocol.Handler of the
// connection.
type Server struct {
	opts   Options
	log    *slog.Logger
	conn   *protocol.Conn
	client protocol.Client

	docs       *files.Store
	settings   atomic.Pointer[Settings]
	pulling    sync.Mutex // held while the client is asked for its settings
	workspace  *workspace
	placements *placements
	progress   *progressTable
	jobs       *jobs.Queue // what builds and runs programs
	quick      *jobs.Queue // what only reads sources: it need not wait for a search
	pending    breakview.Pending
	conflicts  *conflictview.Packages
	renewal    *renewal
	verdicts   verdicts
	walks      walks

	// diskChanges counts how often documents were saved, or files changed by
	// others: before and after, the same job does not do the same.
	diskChanges atomic.Int64

	features      []*feature
	requests      map[string]prepareFunc
	notifications map[string]notifyFunc

	// What initialize said; set before any other message is handled, never
	// changed after.
	session session

	stage      atomic.Int32  // of the session's life, see lifecycle.go
	ready      chan struct{} // closed when the client said "initialized" and the settings were pulled
	nowReady   func()        // closes it, once
	refreshing *bell         // rung by Refresh
	warned     sync.Map      // problems that the user was warned of

	// Goroutines of the server's own run in ctx and are waited for by Run.
	ctx    context.Context
	stop   context.CancelFunc
	closed sync.Mutex // guards ended and adding to tasks
	ended  bool
	tasks  sync.WaitGroup
}

// New makes the server of a connection.
func New(conn *protocol.Conn, o Options) *Server {
	s := &Server{opts: o, log: o.Log, conn: conn, client: conn.Client(), docs: files.NewStore(),
		progress: newProgressTable(), jobs: jobs.New(), quick: jobs.Named("quick"), conflicts: conflictview.New(), refreshing: newBell(), ready: make(chan struct{})}
	s.nowReady = sync.OnceFunc(func() { close(s.ready) })
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.settings.Store(DefaultSettings())
	s.workspace, s.placements, s.renewal = newWorkspace(s), newPlacements(), newRenewal(s)
	s.features = s.allFeatures()
	s.requests, s.notifications = s.coreRequests(), s.coreNotifications()
	for _, f := range s.features {
		for method, p := range f.requests {
			s.requests[method] = p
		}
		for method, n := range f.notifications {
			s.notifications[method] = n
		}
	}
	return s
}

// Run serves until the session ends, then stops everything that the server
// started and waits for it. The error is nil if the client asked for the end in
// the order of the specification: shutdown, then exit or the end of the stream.
func (s *Server) Run(ctx context.Context) error {
	stopRefresh := s.startRefreshing()
	ctx, end := context.WithCancel(ctx)
	defer end()
	context.AfterFunc(ctx, s.stop)
	err := s.conn.Run(ctx, s)
	s.stop()
	for _, f := range s.features {
		if f.stop != nil {
			f.stop()
		}
	}
	stopRefresh()
	s.closed.Lock()
	s.ended = true
	s.closed.Unlock()
	s.tasks.Wait()
	if err == nil && s.stage.Load() != afterShutdown {
		return ErrNoShutdown
	}
	return err
}

// Go runs f in a goroutine of the server's. Its context ends with the session.
// After the end nothing is started any more.
func (s *Server) Go(f func(ctx context.Context)) {
	s.closed.Lock()
	defer s.closed.Unlock()
	if s.ended {
		return
	}
	s.tasks.Add(1)
	go func() {
		defer s.tasks.Done()
		defer s.survive("a task")
		f(s.ctx)
	}()
}

// View is what a request sees: the state when it arrived.
type View struct {
	Files    *files.Snapshot
	Settings *Settings
}

// File is the text that a document had: the open one, else that on disk. It is
// not ok if there is none, or if the client's edits did not fit it.
func (v View) File(uri protocol.URI) (*files.File, bool) { return v.Files.File(uri) }

func (s *Server) view() View {
	return View{Files: s.docs.Snapshot(), Settings: s.settings.Load()}
}

// Prepare implements protocol.Handler.
func (s *Server) Prepare(ctx context.Context, method string, params json.RawMessage) (protocol.Work, error) {
	if err := s.admit(method); err != nil {
		return nil, err
	}
	p, ok := s.requests[method]
	if !ok {
		return nil, protocol.Errorf(protocol.MethodNotFound, "unknown method %q", method)
	}
	return p(ctx, params)
}

// Notify implements protocol.Handler.
func (s *Server) Notify(ctx context.Context, method string, params json.RawMessage) error {
	if !s.listens(method) {
		return nil
	}
	n, ok := s.notifications[method]
	if !ok {
		return nil // notifications for other servers, or of later versions of the protocol
	}
	return n(ctx, params)
}
