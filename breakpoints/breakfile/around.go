package breakfile

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// hash of a text: 24 bits, four letters. A clash makes the context look a
// little better than it is; the statement itself is compared in full.
type hash [3]byte

func hashOf(s string) hash {
	sum := sha256.Sum256([]byte(s))
	return hash(sum[:3])
}

func (h hash) String() string { return base64.RawURLEncoding.EncodeToString(h[:]) }

// reach is how many units on each side of a statement are kept.
const reach = 24

// An oldUnit unit is one that stood around a place when it was set: the hash of
// its key, and that of its shape.
type oldUnit struct{ exact, alf hash }

// window is what stood around a place, in the outermost function.
type window struct {
	units []oldUnit
	at    int // of the place itself
}

// windowOf takes the units around the k-th.
func windowOf(units []*unit, k int) window {
	from, to := max(0, k-reach), min(len(units), k+reach+1)
	w := window{at: k - from}
	for _, u := range units[from:to] {
		w.units = append(w.units, oldUnit{u.exact, u.alf})
	}
	return w
}

// String is a word of eight letters for each unit, four for its key and four
// for its shape, and "." for the place itself.
func (w window) String() string {
	var words []string
	for i, o := range w.units {
		if i == w.at {
			words = append(words, ".")
		} else {
			words = append(words, o.exact.String()+o.alf.String())
		}
	}
	return strings.Join(words, " ")
}

// windowIn reads the window of a place. One that was written by hand has its
// neighbours only.
func windowIn(p Place) window {
	toks := scan([]byte(p.Text))
	self := oldUnit{hashOf(key(toks)), hashOf(shape(toks))}
	var w window
	found := false
	for word := range strings.FieldsSeq(p.Around) {
		if word == "." && !found {
			found, w.at = true, len(w.units)
			w.units = append(w.units, self)
			continue
		}
		var o oldUnit
		if raw, err := base64.RawURLEncoding.DecodeString(word); err == nil && len(raw) == 6 {
			o = oldUnit{hash(raw[:3]), hash(raw[3:])}
		}
		w.units = append(w.units, o)
	}
	if found {
		return w
	}
	w = window{}
	if p.Before != "" {
		w.units = append(w.units, oldOf(p.Before))
	}
	w.at = len(w.units)
	w.units = append(w.units, self)
	if p.After != "" {
		w.units = append(w.units, oldOf(p.After))
	}
	return w
}

func oldOf(text string) oldUnit {
	toks := scan([]byte(text))
	return oldUnit{hashOf(key(toks)), hashOf(shape(toks))}
}

// has reports whether the text with this hash stood around the place.
func (w window) has(h hash) bool {
	for i, o := range w.units {
		if i != w.at && o.exact == h {
			return true
		}
	}
	return false
}
