package synth

import (
	"go/types"
	"unicode/utf8"

	"golang.org/x/tools/go/ssa"
)

func (f *frame) mapOf(v value) *mapping {
	m, ok := v.(*mapping)
	if !ok {
		f.notKnown(v)
	}
	return m
}

func (f *frame) mapUpdate(v, key, x value) {
	m := f.mapOf(v)
	if m == nil {
		panic(goPanic{iface{t: f.e.p.runtimeErrorType(), v: "assignment to entry in nil map"}})
	}
	f.mapAccess(m, true)
	k := keyOf(key)
	if i, ok := m.at[k]; ok {
		m.vals[i] = copied(x)
		return
	}
	m.at[k] = len(m.keys)
	m.keys, m.vals, m.live = append(m.keys, copied(key)), append(m.vals, copied(x)), append(m.live, true)
	m.n++
}

func (m *mapping) remove(key value) {
	k := keyOf(key)
	if i, ok := m.at[k]; ok {
		delete(m.at, k)
		m.live[i] = false
		m.n--
	}
}

func (f *frame) lookup(in *ssa.Lookup) value {
	x := f.get(in.X)
	if _, ok := x.(string); ok {
		return f.index(x, f.get(in.Index))
	}
	m := f.mapOf(x)
	f.mapAccess(m, false)
	v, ok := value(nil), false
	if m != nil {
		if i, found := m.at[keyOf(f.get(in.Index))]; found {
			v, ok = copied(m.vals[i]), true
		}
	}
	if !ok {
		v = zero(in.X.Type().Underlying().(*types.Map).Elem())
	}
	if in.CommaOk {
		return tuple{v, ok}
	}
	return v
}

// iterator goes over a map's keys in the order in which they came, or a string.
type iterator struct {
	m *mapping
	s string
	i int
}

func (f *frame) rangeOver(v value) value {
	if s, ok := v.(string); ok {
		return &iterator{s: s}
	}
	m := f.mapOf(v)
	f.mapAccess(m, false)
	return &iterator{m: m}
}

func (f *frame) next(in *ssa.Next) value {
	it, ok := f.get(in.Iter).(*iterator)
	if !ok {
		f.notKnown(f.get(in.Iter))
	}
	if in.IsString {
		if it.i >= len(it.s) {
			return tuple{false, int64(0), int64(0)}
		}
		r, n := utf8.DecodeRuneInString(it.s[it.i:])
		at := it.i
		it.i += n
		return tuple{true, int64(at), int64(r)}
	}
	f.mapAccess(it.m, false)
	for it.m != nil && it.i < len(it.m.keys) {
		i := it.i
		it.i++
		if it.m.live[i] {
			return tuple{true, copied(it.m.keys[i]), copied(it.m.vals[i])}
		}
	}
	t := in.Type().(*types.Tuple)
	return tuple{false, zeroOf(t.At(1).Type()), zeroOf(t.At(2).Type())}
}

// zeroOf is zero of a variable that may be left out of a range.
func zeroOf(t types.Type) value {
	if b := basic(t); b != nil && b.Kind() == types.Invalid {
		return nil
	}
	return zero(t)
}
