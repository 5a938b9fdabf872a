package server

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/breakview"
)

// Module is a module whose findings are shown, watched until it is of no
// interest any more.
type Module struct {
	*engine.Module

	serial int             // no other module of the session has it, this one opened again included
	loaded chan struct{}   // closed when findings were read for the first time
	gone   <-chan struct{} // closed when it is watched no more
	stop   context.CancelFunc
	breaks *breakview.Breaks

	reading    sync.Mutex // held while the store is read, so that no older reading follows a newer one
	mu         sync.Mutex
	findings   *engine.Findings
	generation int // counts the values of findings
}

// Findings are those in the module's store now, as far as the watcher knows
// (300 ms). It waits for the first reading; nil means that ctx ended before. A
// module that was forgotten before it was read once is read by the request that
// still holds it.
func (m *Module) Findings(ctx context.Context) *engine.Findings {
	select {
	case <-m.loaded:
	case <-m.gone:
	case <-ctx.Done():
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.findings == nil {
		return m.Module.Findings()
	}
	return m.findings
}

// read looks at the store now, whatever the watcher knows. Findings that are as
// they were stay the same value, so that nothing is computed again for them.
func (m *Module) read() {
	m.reading.Lock()
	defer m.reading.Unlock()
	f := m.Module.Findings()
	m.mu.Lock()
	first := m.findings == nil
	if first || !sameFindings(m.findings, f) {
		m.findings = f
		m.generation++
	}
	m.mu.Unlock()
	if first {
		close(m.loaded)
	}
}

// problem says in one line that findings of the module can't be read, "" if all
// can: they are shown nowhere, which looks as if they had never been made.
func (m *Module) problem() string {
	f := m.known()
	switch {
	case f == nil || len(f.Problems) == 0:
		return ""
	case len(f.Problems) == 1:
		return fmt.Sprintf("a finding is not shown: %v", f.Problems[0])
	}
	return fmt.Sprintf("%d findings are not shown; the first: %v", len(f.Problems), f.Problems[0])
}

// version is another one for other findings or breakpoints, and for a module that
// was opened again.
func (m *Module) version() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return fmt.Sprintf("%d.%d.%d", m.serial, m.generation, m.breaks.Version())
}

func sameFindings(a, b *engine.Findings) bool {
	return slices.Equal(a.All, b.All) &&
		slices.EqualFunc(a.Problems, b.Problems, func(x, y error) bool { return x.Error() == y.Error() })
}

// modules are those being watched, one watcher each. Safe for concurrent use.
type modules struct {
	s *Server

	mu     sync.Mutex
	byRoot map[string]*Module
	opened int // counts openings
}

// open returns the module at root, watched.
func (ms *modules) open(root string) *Module {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	if m := ms.byRoot[root]; m != nil {
		return m
	}
	ctx, stop := context.WithCancel(ms.s.ctx)
	ms.opened++
	m := &Module{Module: engine.OpenModule(root), serial: ms.opened, loaded: make(chan struct{}), gone: ctx.Done(), stop: stop}
	m.breaks = breakview.New(m)
	ms.byRoot[root] = m
	ms.s.Go(func(context.Context) { ms.s.watchBreaks(ctx, m) })
	ms.s.Go(func(context.Context) {
		defer stop()
		m.Watch(ctx, func(*engine.Findings) {
			m.read()
			if p := m.problem(); p != "" {
				ms.s.warnOnce(p)
			}
			ms.s.Refresh()
		})
	})
	return m
}

// keep forgets the modules that are not wanted any more.
func (ms *modules) keep(wanted map[string]bool) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	for root, m := range ms.byRoot {
		if !wanted[root] {
			m.stop()
			delete(ms.byRoot, root)
		}
	}
}

func (ms *modules) all() []*Module {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	all := make([]*Module, 0, len(ms.byRoot))
	for _, m := range ms.byRoot {
		all = append(all, m)
	}
	return all
}
