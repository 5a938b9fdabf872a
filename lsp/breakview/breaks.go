package breakview

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/internal/words"
	"github.com/hocket-dev/hocket/lsp/files"
	"github.com/hocket-dev/hocket/lsp/present"
)

// Module is what the package asks of a module.
type Module interface {
	files.Names
	Root() string
}

// Breaks are the concurrent breakpoints of a module as last read, each side with
// the text in which it was found. Safe for concurrent use.
type Breaks struct {
	module Module
	reads  atomic.Int64

	mu      sync.Mutex // held while they are read, too
	loaded  bool
	list    []*foundBreak
	problem string // why the file can't be read, "" if it can
}

// New are the breakpoints of a module; they are read when first asked for.
func New(m Module) *Breaks { return &Breaks{module: m} }

// Version is another one after each reading.
func (b *Breaks) Version() int64 { return b.reads.Load() }

// Read reads the file and looks for all sides in the texts of a snapshot.
func (b *Breaks) Read(ctx context.Context, docs *files.Snapshot) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.read(ctx, docs)
}

func (b *Breaks) read(ctx context.Context, docs *files.Snapshot) {
	b.reads.Add(1)
	list, err := engine.Breaks(ctx, b.module.Root(), openTexts(docs, b.module.Root()))
	switch {
	case ctx.Err() != nil:
		return
	case err != nil: // what was read before is better than nothing
		b.loaded, b.problem = true, words.OneLine(err.Error())
		return
	}
	before := map[sideKey]present.Side{}
	for _, f := range b.list {
		for _, s := range f.sides {
			before[s.key] = s.Side
		}
	}
	b.loaded, b.problem, b.list = true, "", make([]*foundBreak, 0, len(list.Breaks))
	for _, br := range list.Breaks {
		b.list = append(b.list, found(b.module, docs, br, before))
	}
}

// In are the breakpoints in the texts of a snapshot. They are read first if they
// never were.
func (b *Breaks) In(ctx context.Context, docs *files.Snapshot) *View {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.loaded {
		b.read(ctx, docs)
	}
	v := &View{Problem: b.problem, module: b.module, docs: docs}
	for _, f := range b.list {
		shown := &present.Break{Break: f.Break}
		for i := range f.sides {
			side, turned := f.sides[i].in(docs, f.Sides[i].Place)
			shown.Places = append(shown.Places, side)
			v.Stale = v.Stale || turned
		}
		v.Breaks = append(v.Breaks, shown)
	}
	return v
}

// openTexts are the open Go files below a folder.
func openTexts(docs *files.Snapshot, root string) map[string]string {
	texts := map[string]string{}
	for f := range docs.All {
		if f.Path != "" && !f.Broken && strings.HasSuffix(f.Path, ".go") && files.Below(f.Path, root) {
			texts[f.Path] = f.Text
		}
	}
	return texts
}
