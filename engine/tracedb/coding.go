package tracedb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/klauspost/compress/zstd"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errDamaged is the cause of all errors about contents that are not as written.
var errDamaged = errors.New("damaged")

// sealed puts the checksum of a value before it; the key is summed too, so that a
// value is not taken for another's.
func sealed(key, val []byte) []byte {
	sum := crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, val)
	return append(binary.LittleEndian.AppendUint32(make([]byte, 0, 4+len(val)), sum), val...)
}

func unseal(key, val []byte) ([]byte, error) {
	if len(val) < 4 {
		return nil, errDamaged
	}
	sum := crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, val[4:])
	if binary.LittleEndian.Uint32(val) != sum {
		return nil, errDamaged
	}
	return val[4:], nil
}

// reader takes values off a byte string. After the first error all are zero.
type reader struct {
	b   []byte
	err error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
	r.b = nil
}

func (r *reader) uint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail("a number is cut or too large")
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) int() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.fail("a number is cut or too large")
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.fail("cut")
		return 0
	}
	v := r.b[0]
	r.b = r.b[1:]
	return v
}

// count is a number of things that take at least a byte each.
func (r *reader) count() int {
	n := r.uint()
	if n > uint64(len(r.b)) {
		r.fail("a count of %d, with %d bytes left", n, len(r.b))
		return 0
	}
	return int(n)
}

func (r *reader) text() string {
	n := r.count()
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}

func (r *reader) tokens(n int) []uint64 {
	out := make([]uint64, n)
	for i := range out {
		out[i] = r.uint()
	}
	return out
}

// end asserts that nothing is left over.
func (r *reader) end() error {
	if r.err == nil && len(r.b) > 0 {
		r.fail("%d bytes too many", len(r.b))
	}
	return r.err
}

func appendTokens(b []byte, toks []uint64) []byte {
	for _, t := range toks {
		b = binary.AppendUvarint(b, t)
	}
	return b
}

// codec compresses blocks of an export and long labels. It is made for one open
// database or file: there is no state of the package.
type codec struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
}

// maxBlock bounds what a compressed block may become.
const maxBlock = 1 << 28

func newCodec() (*codec, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false))
	if err != nil {
		return nil, err
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBlock))
	return &codec{enc, dec}, err
}

func (c *codec) close() {
	c.enc.Close()
	c.dec.Close()
}

const (
	plain  = 0
	packed = 1
)

// longLabel is how long a label must be, in bytes, to be worth compressing.
const longLabel = 192

// pack appends the bytes to out, compressed if that makes them shorter.
func (c *codec) pack(out, b []byte) []byte {
	if len(b) >= longLabel {
		at := len(out)
		out = c.enc.EncodeAll(b, append(out, packed))
		if len(out)-at <= len(b) {
			return out
		}
		out = out[:at]
	}
	return append(append(out, plain), b...)
}

func (c *codec) unpack(b []byte) ([]byte, error) {
	if len(b) == 0 {
		return nil, errDamaged
	}
	switch b[0] {
	case plain:
		return b[1:], nil
	case packed:
		return c.dec.DecodeAll(b[1:], nil)
	}
	return nil, errDamaged
}
