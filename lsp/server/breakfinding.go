package server

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hocket-dev/hocket/internal/words"
	"github.com/hocket-dev/hocket/lsp/jobs"
	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

const commandBreakFrom = "hocket.break.fromFinding"

type breakFromArguments struct {
	ID       string    `json:"id"`
	URI      string    `json:"uri"`
	Position *position `json:"position"` // of the finding, if it is not named
	delivery
}

func (a *breakFromArguments) check() error {
	return namesFinding(commandBreakFrom, a.ID, a.URI, a.Position)
}

// breakFrom makes breakpoints of a finding's schedule, by a child: it needs the
// sources that the finding was made on.
func (s *Server) breakFrom(ctx context.Context, c call, a *breakFromArguments) (any, error) {
	m, found, err := s.findingFor(ctx, commandBreakFrom, c.view, a.ID, a.URI, a.Position)
	if err != nil {
		return nil, err
	}
	f := found.Finding
	job := s.childJob(jobs.Job{
		Key:   jobs.Key{Kind: "break from", Dir: packageDir(m, f), Detail: f.ID},
		Title: "hocket: breakpoints from " + f.Entry,
		Limit: replayBuild,
	}, child{dir: m.Root(), set: c.view.Settings, args: func(string) []string {
		return append(append([]string{"break", "add"}, watched()...), "-finding="+f.ID)
	}})
	return s.do(ctx, c, heavy{job: job, quick: true, delivery: a.delivery, note: leftOutOf(c.view, m), conclude: func(output json.RawMessage) (*outcome, error) {
		var b struct{ ID string }
		if err := json.Unmarshal(output, &b); err != nil {
			return nil, fmt.Errorf("decode the breakpoint: %w", err)
		}
		message := ""
		ans, err := s.breakAnswer(s.ctx, s.view(), m, b.ID, false, func(b *present.Break) string {
			message = fmt.Sprintf("breakpoint %s: %s of the failing schedule, in order; run it with the lenses there", b.ID, words.Count(len(b.Places), "place"))
			return message
		})
		return &outcome{ans, message, protocol.MessageTypeInfo}, err
	}})
}
