package image

// variable says which package variable covers an address, and what lies there
// if there is debug information.
func (m *Image) variable(q GlobalReq) GlobalInfo {
	addr := q.Addr + m.start
	s, ok := at(m.vars, addr)
	if !ok {
		return GlobalInfo{}
	}
	g := GlobalInfo{Symbol: s.name, Offset: addr - s.addr}
	names := m.dwarf()
	if names == nil {
		return g
	}
	if t := names.variable(s.name); t != nil {
		e := walkType(t, int64(g.Offset), int64(q.Want))
		g.Path, g.Type, g.Size, g.Kind = e.path, e.typ, e.size, e.kind
	}
	return g
}

// Globals says which package variables lie at the given addresses.
func (p *Program) Globals(reqs []GlobalReq) ([]GlobalInfo, error) {
	out := make([]GlobalInfo, len(reqs))
	m, err := p.Image()
	if err != nil {
		return out, err
	}
	p.mu.Lock() // the debug information is read bit by bit
	defer p.mu.Unlock()
	for i, q := range reqs {
		out[i] = m.variable(q)
	}
	return out, nil
}

// Escaped names the local variables that the function of a frame moved to the
// heap by its declaration at that line.
func (p *Program) Escaped(sites []Frame) ([][]Local, error) {
	out := make([][]Local, len(sites))
	m, err := p.Image()
	if err != nil {
		return out, err
	}
	names := m.dwarf()
	if names == nil {
		return out, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, f := range sites {
		out[i] = names.localsAt(f.Func, f.Line)
	}
	return out, nil
}
