package server

import (
	"context"

	"github.com/hocket-dev/hocket/lsp/protocol"
)

// The notifications of documents being edited. Each makes a new snapshot, then
// tells the features.

func (s *Server) didOpen(ctx context.Context, p *protocol.DidOpenTextDocumentParams) error {
	d := p.TextDocument
	s.docs.Open(d.URI, d.Version, d.Text)
	s.workspace.opened(d.URI)
	s.textChanged(ctx, d.URI)
	s.textTouched(ctx, d.URI)
	return nil
}

func (s *Server) didChange(ctx context.Context, p *protocol.DidChangeTextDocumentParams) error {
	err := s.docs.Change(p.TextDocument.URI, p.TextDocument.Version, p.ContentChanges)
	s.textChanged(ctx, p.TextDocument.URI)
	return err
}

func (s *Server) didSave(ctx context.Context, p *protocol.DidSaveTextDocumentParams) error {
	err := s.docs.Saved(p.TextDocument.URI, p.Text)
	s.diskChanges.Add(1)
	s.textChanged(ctx, p.TextDocument.URI)
	s.textTouched(ctx, p.TextDocument.URI)
	return err
}

func (s *Server) didClose(ctx context.Context, p *protocol.DidCloseTextDocumentParams) error {
	err := s.docs.Close(p.TextDocument.URI)
	s.workspace.closed()
	s.textChanged(ctx, p.TextDocument.URI)
	return err
}

func (s *Server) textChanged(ctx context.Context, uri protocol.URI) {
	v, id := s.view(), protocol.SameDocument(uri)
	s.each(func(f *feature) {
		if f.changed != nil {
			f.changed(ctx, v, id)
		}
	})
}

// textTouched tells the features that a text was opened or saved.
func (s *Server) textTouched(ctx context.Context, uri protocol.URI) {
	v, id := s.view(), protocol.SameDocument(uri)
	s.each(func(f *feature) {
		if f.touched != nil {
			f.touched(ctx, v, id)
		}
	})
}
