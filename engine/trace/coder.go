package trace

import (
	"encoding/binary"
	"errors"
	"math"
)

var errShort = errors.New("the body ends early")

// coder writes or reads, so that one description of the layout serves both
// directions. Every function takes a pointer: it is read when writing and set
// when reading. After an error nothing happens.
type coder struct {
	writing bool
	version int    // of the format
	buf     []byte // written so far, or left to read
	err     error

	strs  []string          // reading: strings seen, by number
	strNo map[string]uint64 // writing
}

func (c *coder) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *coder) uvarint(v *uint64) {
	switch {
	case c.err != nil:
	case c.writing:
		c.buf = binary.AppendUvarint(c.buf, *v)
	default:
		n, size := binary.Uvarint(c.buf)
		if size <= 0 {
			c.fail(errShort)
			return
		}
		*v, c.buf = n, c.buf[size:]
	}
}

// number codes an integer that is mostly small and not negative.
func number[T ~int | ~int64 | ~uint8 | ~uint32 | ~uint64](c *coder, v *T) {
	n := uint64(*v)
	c.uvarint(&n)
	*v = T(n)
}

// delta codes the difference from a predicted value, small in either direction.
func delta[T ~int | ~int64 | ~uint32 | ~uint64](c *coder, v *T, predicted T) {
	d := int64(*v - predicted)
	n := uint64(d)<<1 ^ uint64(d>>63)
	c.uvarint(&n)
	if !c.writing {
		*v = predicted + T(int64(n>>1)^-int64(n&1))
	}
}

func (c *coder) bool(v *bool) {
	n := uint64(0)
	if *v {
		n = 1
	}
	c.uvarint(&n)
	*v = n != 0
}

// text codes a string the first time it occurs, its number later.
func text[T ~string](c *coder, v *T) {
	if c.writing {
		c.writeText(string(*v))
		return
	}
	n := uint64(math.MaxUint64)
	c.uvarint(&n)
	switch {
	case c.err != nil:
	case n < uint64(len(c.strs)):
		*v = T(c.strs[n])
	case n > uint64(len(c.strs)):
		c.fail(errors.New("a string's number is out of range"))
	default:
		size := uint64(0)
		c.uvarint(&size)
		if size > uint64(len(c.buf)) {
			c.fail(errShort)
			return
		}
		s := string(c.buf[:size])
		c.buf = c.buf[size:]
		c.strs = append(c.strs, s)
		*v = T(s)
	}
}

func (c *coder) writeText(s string) {
	n, known := c.strNo[s]
	if !known {
		n = uint64(len(c.strNo))
		c.strNo[s] = n
	}
	c.uvarint(&n)
	if !known {
		size := uint64(len(s))
		c.uvarint(&size)
		c.buf = append(c.buf, s...)
	}
}

// list codes a slice: its length and each element, which takes a byte at least.
func list[T any](c *coder, s *[]T, each func(c *coder, i int, v *T)) {
	n := uint64(len(*s))
	c.uvarint(&n)
	if c.writing {
		for i := range *s {
			each(c, i, &(*s)[i])
		}
		return
	}
	if c.err == nil && n > uint64(len(c.buf)) {
		c.fail(errShort)
	}
	*s = nil
	for i := 0; c.err == nil && uint64(i) < n; i++ {
		var v T
		each(c, i, &v)
		*s = append(*s, v)
	}
}
