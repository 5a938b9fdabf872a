package trace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/zstd"
)

// The trace file: a header in the clear, then the body, compressed by zstd.
// docs/trace-format.md describes every field.
const (
	fileMagic  = "HOCKETTR"
	headerSize = len(fileMagic) + 4 + 4 + 8 // magic, version, CRC-32C of the compressed body, its length
	oldest     = 2                          // version that Read knows
	maxBody    = 1 << 27                    // bytes of a body that Read unpacks
)

// Errors of Read.
var (
	ErrNotTrace = errors.New("not a trace file")
	ErrVersion  = errors.New("trace file of another version of Hocket")
	ErrCorrupt  = errors.New("trace file is damaged")
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Write writes a trace file.
func Write(w io.Writer, t *Trace) error {
	c := &coder{writing: true, version: Version, strNo: map[string]uint64{}}
	copied := *t // the layout takes pointers; it changes nothing when writing
	layout(c, &copied)
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return fmt.Errorf("write trace: %w", err)
	}
	defer z.Close()
	body := z.EncodeAll(c.buf, nil)
	head := []byte(fileMagic)
	head = binary.LittleEndian.AppendUint32(head, Version)
	head = binary.LittleEndian.AppendUint32(head, crc32.Checksum(body, castagnoli))
	head = binary.LittleEndian.AppendUint64(head, uint64(len(body)))
	if _, err := w.Write(append(head, body...)); err != nil {
		return fmt.Errorf("write trace: %w", err)
	}
	return nil
}

// Read reads a trace file. A file that is cut off, damaged or of another
// version gives an error, never a part of a trace.
func Read(r io.Reader) (*Trace, error) {
	t, err := read(r)
	if err != nil {
		return nil, fmt.Errorf("read trace: %w", err)
	}
	return t, nil
}

func read(r io.Reader) (*Trace, error) {
	head := make([]byte, headerSize)
	if _, err := io.ReadFull(r, head); err != nil || string(head[:len(fileMagic)]) != fileMagic {
		return nil, ErrNotTrace
	}
	head = head[len(fileMagic):]
	v := int(binary.LittleEndian.Uint32(head))
	if v < oldest || v > Version {
		return nil, fmt.Errorf("%w: version %d, this one reads %d", ErrVersion, v, Version)
	}
	size := binary.LittleEndian.Uint64(head[8:])
	if size > maxBody {
		return nil, ErrCorrupt
	}
	body, err := io.ReadAll(io.LimitReader(r, int64(size)))
	if err != nil {
		return nil, err
	}
	if uint64(len(body)) != size || crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(head[4:]) {
		return nil, ErrCorrupt
	}
	return unpack(body, v)
}

func unpack(body []byte, version int) (*Trace, error) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBody))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	plain, err := z.DecodeAll(body, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	c := &coder{buf: plain, version: version}
	t := &Trace{}
	layout(c, t)
	if version < Version {
		t.Version = Version
	}
	if c.err == nil && len(c.buf) > 0 {
		c.fail(errors.New("the body is too long"))
	}
	if c.err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, c.err)
	}
	return t, nil
}
