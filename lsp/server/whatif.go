package server

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/internal/words"
	"github.com/hocket-dev/hocket/lsp/jobs"
)

// commandWhatIf runs the program of a finding without a switch or an order.
const commandWhatIf = "hocket.whatIf"

type (
	whatIfArguments struct {
		ID       string    `json:"id"`
		URI      string    `json:"uri"`      // any file of the module
		Position *position `json:"position"` // of the finding, if it is not named
		Switch   int       `json:"switch"`   // its number in what hocket.schedule answers; or
		Order    int       `json:"order"`    // that of an order
		Runs     *int      `json:"runs"`     // default 20
		delivery
	}
	whatIfAnswer struct {
		engine.WhatIfAnswer
		Message string `json:"message"` // one line for users
	}
)

// whatIfRuns are the runs of a client that names none.
const whatIfRuns = 20

// triesFor is how many runs a child makes at most for each that is counted.
const triesFor = 4

func (a *whatIfArguments) check() error {
	const command = commandWhatIf
	if a.Runs != nil && *a.Runs <= 0 {
		return invalid(command, "runs is %d; it must be at least 1", *a.Runs)
	}
	if (a.Switch > 0) == (a.Order > 0) || a.Switch < 0 || a.Order < 0 {
		return invalid(command, "one of switch and order must be given, a number from 1; hocket.schedule lists them")
	}
	return namesFinding(command, a.ID, a.URI, a.Position)
}

// whatIf runs the program on the sources on disk, as a replay does.
func (s *Server) whatIf(ctx context.Context, c call, a *whatIfArguments) (any, error) {
	m, found, err := s.findingFor(ctx, commandWhatIf, c.view, a.ID, a.URI, a.Position)
	if err != nil {
		return nil, err
	}
	runs, without := whatIfRuns, fmt.Sprintf("switch:%d", a.Switch)
	if a.Runs != nil {
		runs = *a.Runs
	}
	if a.Order > 0 {
		without = fmt.Sprintf("order:%d", a.Order)
	}
	f := found.Finding
	leftOut := leftOutOf(c.view, m)
	job := s.childJob(jobs.Job{
		Key:   jobs.Key{Kind: "whatif", Dir: packageDir(m, f), Entry: f.Entry, Detail: f.ID + " " + without},
		Title: "hocket: what if " + f.Entry,
		Limit: replayBuild + time.Duration(triesFor*runs)*replayRun,
	}, child{dir: m.Root(), set: c.view.Settings, args: func(string) []string {
		return append(append([]string{"replay"}, watched()...), "-without="+without, fmt.Sprintf("-n=%d", runs), f.ID)
	}})
	return s.do(ctx, c, heavy{job: job, delivery: a.delivery, note: leftOut, conclude: func(output json.RawMessage) (*outcome, error) {
		ans := &whatIfAnswer{}
		if err := json.Unmarshal(output, &ans.WhatIfAnswer); err != nil {
			return nil, fmt.Errorf("decode the answer: %w", err)
		}
		if leftOut != "" {
			ans.Note = joinNotes(ans.Note, leftOut)
		}
		ans.Message = whatIfMessage(f.Entry, &ans.WhatIfAnswer)
		return &outcome{ans, ans.Message, kindOf(ans.Failed > 0)}, nil
	}})
}

func joinNotes(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// whatIfMessage says in a line what was counted.
func whatIfMessage(entry string, a *engine.WhatIfAnswer) string {
	text := entry + ": " + a.Line()
	if a.Note != "" {
		text += "; " + a.Note
	}
	return words.OneLine(text)
}
