package server

import (
	"context"
	"os"
	"slices"

	"github.com/hocket-dev/hocket/internal/words"
	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

const commandForget = "hocket.forget"

type (
	forgetArguments struct {
		ID   string `json:"id"`  // this finding; default: all that no longer fail
		URI  string `json:"uri"` // of its module; default: all modules that are open
		Show bool   `json:"show"`
	}
	forgetAnswer struct {
		Forgotten []string `json:"forgotten"` // ids
		Kept      []string `json:"kept"`      // ids of those that no longer fail, but for text that is not saved
		Message   string   `json:"message"`   // one line for users
	}
)

// forget deletes a finding, or all of which a search of the changed text has shown that
// they no longer fail. Found again, they are back under the same id.
func (s *Server) forget(ctx context.Context, c call, a *forgetArguments) (any, error) {
	ms, err := s.listedModules(commandForget, c.view, a.URI)
	if err != nil {
		return nil, err
	}
	ans := &forgetAnswer{Forgotten: []string{}, Kept: []string{}}
	if a.ID != "" {
		m, found, err := s.lookUp(ctx, commandForget, c.view, a.URI, a.ID)
		if err != nil {
			return nil, err
		}
		if err := s.forgetOf(m, []string{found.Finding.ID}, ans); err != nil {
			return nil, err
		}
	} else {
		for _, m := range ms {
			m.read()
			var ids []string
			for _, it := range s.placed(ctx, c.view, m).Items() {
				switch {
				case it.State != present.Fixed:
				case it.Last == nil || !it.Last.Sources.Hold(onDisk(m)):
					// The mended text may still be thrown away, and the bug be back.
					ans.Kept = append(ans.Kept, it.Finding.ID)
				default:
					ids = append(ids, it.Finding.ID)
				}
			}
			if err := s.forgetOf(m, ids, ans); err != nil {
				return nil, err
			}
		}
	}
	ans.Message = ans.line(a.ID != "")
	if a.Show {
		s.say(ctx, protocol.MessageTypeInfo, ans.Message)
	}
	return ans, nil
}

func (s *Server) forgetOf(m *Module, ids []string, ans *forgetAnswer) error {
	defer s.Refresh()
	defer m.read()
	for _, id := range ids {
		if err := m.Forget(id); err != nil {
			return protocol.Errorf(protocol.RequestFailed, "%s: %v", commandForget, err)
		}
		ans.Forgotten = append(ans.Forgotten, id)
	}
	slices.Sort(ans.Forgotten)
	return nil
}

func (a *forgetAnswer) line(one bool) string {
	n := len(a.Forgotten)
	text := words.Count(n, "finding") + " forgotten"
	if n == 0 {
		text = "there is no finding that no longer fails"
	}
	if k := len(a.Kept); k > 0 {
		if n == 0 {
			text = "no finding was forgotten"
		}
		text += "; " + words.Count(k, "finding") + " kept, since the text without the failure is not saved"
	}
	if one {
		return "the finding was forgotten"
	}
	return text
}

// onDisk gives the texts of a module's files as they are on disk.
func onDisk(m *Module) func(name string) (string, bool) {
	return func(name string) (string, bool) {
		path, ok := m.Abs(name)
		if !ok {
			return "", false
		}
		data, err := os.ReadFile(path)
		return string(data), err == nil
	}
}
