package libz3

import (
	"errors"
	"unsafe"
)

// Model is a solution. Its values are total: what was left open has some value.
type Model struct {
	c *Context
	m uintptr
}

// Model of the last check, which was Sat.
func (s *Solver) Model() (*Model, error) {
	m := &Model{c: s.c, m: solverModel.call(s.c.c, s.s)}
	if !s.c.note() {
		return nil, s.c.err
	}
	modelInc.call(s.c.c, m.m)
	return m, nil
}

// Close frees the model.
func (m *Model) Close() {
	if m.m != 0 {
		modelDec.call(m.c.c, m.m)
		m.m = 0
	}
}

var errNoValue = errors.New("libz3: a term has no value in the model")

// eval gives a term's value as a term, which lives until release.
func (m *Model) eval(t Term) (value Term, err error) {
	var out Term
	ok := boolean(modelEval.call(m.c.c, m.m, uintptr(t), 1, uintptr(unsafe.Pointer(&out))))
	if !m.c.note() {
		return 0, m.c.err
	}
	if !ok {
		return 0, errNoValue
	}
	return m.c.keep(uintptr(out)), nil
}

// Bool is the value of a boolean.
func (m *Model) Bool(t Term) (bool, error) {
	defer m.c.Release(m.c.Mark())
	v, err := m.eval(t)
	return err == nil && int32(boolValue.call(m.c.c, uintptr(v))) == 1, err
}

// Int is the value of an integer.
func (m *Model) Int(t Term) (n int64, err error) {
	defer m.c.Release(m.c.Mark())
	v, err := m.eval(t)
	if err == nil && !boolean(numeralInt64.call(m.c.c, uintptr(v), uintptr(unsafe.Pointer(&n)))) {
		err = errNoValue
	}
	return n, err
}

// Bits is the value of a bit-vector of at most 64 bits.
func (m *Model) Bits(t Term) (n uint64, err error) {
	defer m.c.Release(m.c.Mark())
	v, err := m.eval(t)
	if err == nil && !boolean(numeralUint64.call(m.c.c, uintptr(v), uintptr(unsafe.Pointer(&n)))) {
		err = errNoValue
	}
	return n, err
}
