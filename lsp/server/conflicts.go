package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/conflictview"
	"github.com/hocket-dev/hocket/lsp/jobs"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

const commandConflicts = "hocket.conflicts"

type conflictsArguments struct {
	URI string `json:"uri"` // any file of the package
	delivery
}

type conflictsAnswer struct {
	Package string              `json:"package"`
	Pairs   []conflictview.Pair `json:"pairs"` // most suspicious first
	Note    string              `json:"note"`  // what was left out, and why
	Message string              `json:"message"`
}

// maxListed bounds the pairs of an answer.
const maxListed = 500

// findConflicts looks for the conflicts of a package, by a child.
func (s *Server) findConflicts(ctx context.Context, c call, a *conflictsArguments) (any, error) {
	at, err := s.placeOf(commandConflicts, c.view, a.URI)
	if err != nil {
		return nil, err
	}
	w := s.conflictsJob(c.view, at.dir, at.root)
	w.delivery = a.delivery
	got, err := s.do(ctx, c, w)
	if known, ok := got.(*conflictview.Package); ok && err == nil {
		return &conflictsAnswer{known.Path, known.Pairs(s.view().Files, maxListed), known.Note, known.Message}, nil
	}
	return got, err
}

// conflictsNow looks for the conflicts of a file's package. note says why they
// are not known; the error is that the request was cancelled.
func (s *Server) conflictsNow(ctx context.Context, c call, path string) (known *conflictview.Package, note string, err error) {
	root, ok := engine.FindModule(path)
	if !ok {
		return nil, "the file is in no module", nil
	}
	got, err := s.do(ctx, c, s.conflictsJob(c.view, conflictview.Dir(path), root))
	var answer *protocol.Error
	switch {
	case errors.As(err, &answer) && answer.Code == protocol.RequestFailed:
		return nil, answer.Message, nil
	case err != nil:
		return nil, "", err
	}
	known, _ = got.(*conflictview.Package)
	return known, "", nil
}

// vetLimit is when a look for conflicts counts as hung.
const vetLimit = 10 * time.Minute

// kindVet is the kind of the jobs that look for conflicts.
const kindVet = "vet"

func (s *Server) conflictsJob(v View, dir, root string) heavy {
	job := s.childJob(jobs.Job{
		Key:   jobs.Key{Kind: kindVet, Dir: dir},
		Title: "hocket: conflicts of package " + filepath.Base(dir),
		Limit: vetLimit,
	}, child{dir: dir, set: v.Settings, texts: unsaved(v.Files, root), args: func(overlay string) []string {
		return append(append(append([]string{"vet"}, watched()...), readFlags(v.Settings, overlay)...), ".")
	}})
	return heavy{job: job, quick: true, conclude: func(output json.RawMessage) (*outcome, error) {
		var rep engine.ConflictReport
		if err := json.Unmarshal(output, &rep); err != nil {
			return nil, fmt.Errorf("decode the report: %w", err)
		}
		known := conflictview.NewPackage(&rep, v.Files, s.workspace.modules.open(root))
		s.conflicts.Put(dir, known)
		s.Refresh()
		return &outcome{known, known.Message, protocol.MessageTypeInfo}, nil
	}}
}
