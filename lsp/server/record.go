package server

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/internal/words"
	"github.com/hocket-dev/hocket/lsp/jobs"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// Runs of a test on the ordinary scheduler, recorded until one fails.

const commandRecord = "hocket.record"

type recordArguments struct {
	URI      string    `json:"uri"`      // any file of the package
	Entry    string    `json:"entry"`    // "TestX", "main"
	Position *position `json:"position"` // of the entry, if that is not named
	Runs     *int      `json:"runs"`
	Stop     bool      `json:"stop"` // end with the first run that fails
	delivery
}

func (a *recordArguments) check() error {
	if a.Runs != nil && *a.Runs < 1 {
		return invalid(commandRecord, "runs is %d; it must be at least 1", *a.Runs)
	}
	return nil
}

type recordAnswer struct {
	Message string          `json:"message"` // one line for users
	Failed  string          `json:"failed"`  // id of a run that failed, "" if none did
	Report  json.RawMessage `json:"report"`  // as "hocket record -json" prints
}

// recordedRun is how long a recorded run may take on average before the job counts as hung.
const recordedRun = 10 * time.Second

// record records runs of an entry, or of all of a package.
func (s *Server) record(ctx context.Context, c call, a *recordArguments) (any, error) {
	at, err := s.placeOf(commandRecord, c.view, a.URI)
	if err != nil {
		return nil, err
	}
	entry, err := entryOf(c.view, at, &findArguments{URI: a.URI, Entry: a.Entry, Position: a.Position})
	if err != nil {
		return nil, err
	}
	what := entry
	if what == "" {
		what = "package " + filepath.Base(at.dir)
	}
	runs := engine.DefaultRecordedRuns
	if a.Runs != nil {
		runs = *a.Runs
	}
	set := c.view.Settings
	job := s.childJob(jobs.Job{
		Key:   jobs.Key{Kind: "record", Dir: at.dir, Entry: entry, Detail: fmt.Sprint(runs, a.Stop)},
		Title: "hocket: record " + what,
		Limit: findOverhead + time.Duration(runs)*recordedRun,
	}, child{dir: at.dir, set: set, texts: unsaved(c.view.Files, at.root), args: func(overlay string) []string {
		args := append([]string{"record"}, watched()...)
		args = append(args, fmt.Sprintf("-n=%d", runs))
		if a.Stop {
			args = append(args, "-until-failure")
		}
		if entry != "" {
			args = append(args, "-run="+runExpression(entry))
		}
		return append(append(args, buildFlags(set, overlay)...), ".")
	}})
	return s.do(ctx, c, heavy{job: job, delivery: a.delivery, conclude: func(output json.RawMessage) (*outcome, error) {
		var r engine.Recorded
		if err := json.Unmarshal(output, &r); err != nil {
			return nil, fmt.Errorf("decode the answer: %w", err)
		}
		message, failed := recordLine(what, &r)
		return &outcome{&recordAnswer{message, failed, output}, message, kindOf(failed != "")}, nil
	}})
}

// recordLine is what was recorded, in a line for users, and the run to go on with.
func recordLine(what string, r *engine.Recorded) (line, failed string) {
	var runs, bad int
	var first string
	var errs []string
	for _, t := range r.Targets {
		runs, bad = runs+t.Runs, bad+t.Failed
		if t.Error != "" {
			errs = append(errs, strings.TrimSpace(t.Entry+": ")+" "+words.OneLine(t.Error))
		}
		if len(t.Failures) > 0 && failed == "" {
			failed, first = t.Failures[0].Run, words.OneLine(t.Failures[0].Message)
		}
	}
	line = fmt.Sprintf("%s: %s recorded, %d failed", what, words.Count(runs, "run"), bad)
	if failed != "" {
		line += fmt.Sprintf(" (%s); %s with from: %q has that run again", first, commandFind, failed)
	}
	if len(errs) > 0 {
		line += "; " + strings.Join(errs, "; ")
	}
	return line, failed
}

// checkFrom is for a find that starts from a recorded run.
func checkFrom(a *findArguments) error {
	switch {
	case a.From == "":
	case strings.HasPrefix(a.From, "-") || strings.ContainsAny(a.From, "\n\x00"):
		return invalid(commandFind, "invalid from %q: it must be the id of a recorded run, its file, or last", a.From)
	case a.Entry != "" || a.Position != nil || a.Pattern != "":
		return protocol.Errorf(protocol.InvalidParams, "%s: from can't be combined with entry, position and pattern: the run says what it is of", commandFind)
	}
	return nil
}
