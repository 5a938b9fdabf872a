package store

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
)

const textsExt = ".sources"

// maxTexts limits what one file of texts may unpack to: a corrupt one must not
// take the memory of whoever reads it.
const maxTexts = 64 << 20

// Texts are source texts by machine-independent file name. On disk they are
// one zstd frame of a JSON object.
type Texts map[string]string

func (t Texts) encode() ([]byte, error) {
	valid := Texts{}
	for name, text := range t {
		if utf8.ValidString(text) { // all that Go compiles is; JSON would change the rest
			valid[name] = text
		}
	}
	if len(valid) == 0 {
		return nil, nil
	}
	data, err := json.Marshal(valid) // sorted: equal texts give equal files
	if err != nil {
		return nil, err
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer enc.Close()
	return enc.EncodeAll(data, nil), nil
}

func decodeTexts(data []byte) (Texts, error) {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxTexts))
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	plain, err := dec.DecodeAll(data, nil)
	if err != nil {
		return nil, err
	}
	var t Texts
	return t, json.Unmarshal(plain, &t)
}

// Texts returns the sources kept with a record; nil if it has none, which all
// records of earlier versions have.
func (s *Store) Texts(r *Record) (Texts, error) {
	if r.Texts == "" || filepath.Base(r.Texts) != r.Texts {
		return nil, nil
	}
	var first error
	for _, dir := range s.dirs() {
		path := filepath.Join(dir, r.Texts)
		data, err := os.ReadFile(path)
		if err != nil {
			first = cmpErr(first, err)
			continue
		}
		t, err := decodeTexts(data)
		if err != nil {
			return nil, fmt.Errorf("%s is corrupt (%v); delete it and run hocket find again", path, err)
		}
		return t, nil
	}
	if os.IsNotExist(first) {
		return nil, nil // deleted by hand: the finding is shown without
	}
	return nil, fmt.Errorf("the sources of finding %s: %w", r.Finding.ID, first)
}
