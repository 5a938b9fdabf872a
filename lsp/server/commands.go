package server

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/lsp/jobs"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// The commands of workspace/executeCommand: names are a contract with editors.
const (
	commandFind    = "hocket.find"
	commandReplay  = "hocket.replay"
	commandExplain = "hocket.explain"
	commandCancel  = "hocket.cancel"
	commandList    = "hocket.list"
)

func commandIDs() []string {
	return []string{commandFind, commandFrom, commandDump, commandRecord, commandReplay, commandExplain, commandSchedule, commandWhatIf, commandFix, commandApplyFix, commandCancel, commandList, commandTests, commandForget, commandChoose,
		commandBreakSet, commandBreakPair, commandBreakEdit, commandBreakRemove, commandBreakRun, commandBreakFrom, commandConflicts}
}

// settledCommands are those that build: their flags are settings.
func settledCommands() []string {
	return []string{commandFind, commandFrom, commandDump, commandRecord, commandReplay, commandWhatIf, commandFix, commandDebug, commandBreakSet, commandBreakPair, commandBreakEdit,
		commandBreakRun, commandBreakDebug, commandConflicts}
}

// allJobs are the jobs of both queues.
func (s *Server) allJobs() []jobs.State { return append(s.jobs.Snapshot(), s.quick.Snapshot()...) }

// closeTimeout is how long the end of a session waits for the running job: its
// process is killed before that.
const closeTimeout = 5 * time.Second

// commandsFeature answers the commands, and owns the queue of their jobs.
func (s *Server) commandsFeature() *feature {
	return &feature{
		name:     "commands",
		requests: map[string]prepareFunc{protocol.MethodWorkspaceExecuteCommand: onRequest(s, s.executeCommand)},
		capabilities: func(c *protocol.ServerCapabilities) {
			ids := commandIDs()
			if s.session.debugs {
				ids = append(ids, commandDebug, commandBreakDebug)
			}
			c.ExecuteCommandProvider = protocol.ExecuteCommandOptions{Commands: ids}
		},
		ready: func(context.Context) {
			s.Go(func(ctx context.Context) {
				s.jobs.Watch(ctx, func([]jobs.State) { s.Refresh() })
				s.jobs.Cancel("") // at the end of the session, which may come long before stop
			})
			s.Go(func(ctx context.Context) {
				<-ctx.Done()
				s.quick.Cancel("")
			})
		},
		stop: func() {
			ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
			defer cancel()
			for _, q := range []*jobs.Queue{s.quick, s.jobs} {
				if err := q.Close(ctx); err != nil {
					s.log.Error("close the queue of jobs", "err", err)
				}
			}
		},
	}
}

// call is what a command knows beside its arguments.
type call struct {
	view  View
	token protocol.ProgressToken
}

func (s *Server) executeCommand(ctx context.Context, v View, p *protocol.ExecuteCommandParams) (any, error) {
	if slices.Contains(settledCommands(), p.Command) {
		v = s.settled(ctx, v)
	}
	c := call{view: v, token: p.WorkDoneToken}
	switch p.Command {
	case commandFind:
		return execute(ctx, c, p, s.find)
	case commandFrom:
		return execute(ctx, c, p, s.from)
	case commandDump:
		return execute(ctx, c, p, s.dump)
	case commandRecord:
		return execute(ctx, c, p, s.record)
	case commandReplay:
		return execute(ctx, c, p, s.replay)
	case commandExplain:
		return execute(ctx, c, p, s.explain)
	case commandSchedule:
		return execute(ctx, c, p, s.schedule)
	case commandWhatIf:
		return execute(ctx, c, p, s.whatIf)
	case commandFix:
		return execute(ctx, c, p, s.fix)
	case commandApplyFix:
		return execute(ctx, c, p, s.applyFix)
	case commandCancel:
		return execute(ctx, c, p, s.cancel)
	case commandList:
		return execute(ctx, c, p, s.list)
	case commandTests:
		return execute(ctx, c, p, s.tests)
	case commandForget:
		return execute(ctx, c, p, s.forget)
	case commandChoose:
		return execute(ctx, c, p, s.choose)
	case commandDebug:
		return execute(ctx, c, p, s.debug)
	case commandBreakSet:
		return execute(ctx, c, p, s.breakSet)
	case commandBreakPair:
		return execute(ctx, c, p, s.breakPair)
	case commandBreakEdit:
		return execute(ctx, c, p, s.breakEdit)
	case commandBreakRemove:
		return execute(ctx, c, p, s.breakRemove)
	case commandBreakRun:
		return execute(ctx, c, p, s.breakRun)
	case commandBreakDebug:
		return execute(ctx, c, p, s.breakDebug)
	case commandBreakFrom:
		return execute(ctx, c, p, s.breakFrom)
	case commandConflicts:
		return execute(ctx, c, p, s.findConflicts)
	}
	known := strings.Join(commandIDs(), ", ")
	return nil, protocol.Errorf(protocol.InvalidParams, "unknown command %q; the commands are %s", p.Command, known)
}

// settled is a view whose settings are the client's. They are pulled after
// "initialized": a command that comes before they are there would search with
// other build flags than the user's. A client that never says "initialized" has
// its command done all the same.
func (s *Server) settled(ctx context.Context, v View) View {
	ctx, cancel := context.WithTimeout(ctx, responseTimeout)
	defer cancel()
	s.untilReady(ctx)
	v.Settings = s.settings.Load()
	return v
}

// execute decodes a command's argument, checks it, and runs the command.
func execute[A any](ctx context.Context, c call, p *protocol.ExecuteCommandParams, run func(context.Context, call, *A) (any, error)) (any, error) {
	a := new(A)
	if err := decodeArguments(p.Command, p.Arguments, a); err != nil {
		return nil, err
	}
	if checked, ok := any(a).(interface{ check() error }); ok {
		if err := checked.check(); err != nil {
			return nil, err
		}
	}
	return run(ctx, c, a)
}
