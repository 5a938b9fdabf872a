package tracedb

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"time"

	bolt "go.etcd.io/bbolt"
)

// table is programs, texts and the number of each, within one transaction.
type table struct {
	tx       *bolt.Tx
	codec    *codec
	texts    map[string]uint64
	names    map[uint64]string
	programs map[uint64]*Program
	tables   map[string]tables
}

func newTable(tx *bolt.Tx, c *codec) *table {
	return &table{tx: tx, codec: c, texts: map[string]uint64{}, names: map[uint64]string{}, programs: map[uint64]*Program{}, tables: map[string]tables{}}
}

// What a number is of: the first byte of its key.
const (
	numberProgram = 'p'
	numberText    = 't'
	numberTree    = 'r'
)

// numberKey is the key of a thing: itself, or its sum if it is long.
func numberKey(kind byte, s string) []byte {
	if len(s) <= 64 {
		return append([]byte{kind, 0}, s...)
	}
	sum := sha256.Sum256([]byte(s))
	return append([]byte{kind, 1}, sum[:]...)
}

// number returns the number of a thing, and whether it is new; with make false an
// unknown one has number 0.
func (t *table) number(kind byte, s string, make bool) (n uint64, isNew bool, err error) {
	b := t.tx.Bucket(bucketNumbers)
	key := numberKey(kind, s)
	if val := b.Get(key); val != nil {
		if val, err = unseal(key, val); err != nil {
			return 0, false, err
		}
		r := reader{b: val}
		n = r.uint()
		return n, false, r.end()
	}
	if !make {
		return 0, false, nil
	}
	if n, err = b.NextSequence(); err != nil {
		return 0, false, err
	}
	return n, true, b.Put(key, sealed(key, binary.AppendUvarint(nil, n)))
}

// text returns the number of a text, 0 for "".
func (t *table) text(s string) (uint64, error) {
	if s == "" {
		return 0, nil
	}
	if n := t.texts[s]; n != 0 {
		return n, nil
	}
	n, isNew, err := t.number(numberText, s, true)
	if err == nil && isNew {
		key := binary.AppendUvarint(nil, n)
		err = t.tx.Bucket(bucketTexts).Put(key, sealed(key, []byte(s)))
	}
	t.texts[s] = n
	return n, err
}

func (t *table) name(n uint64) (string, error) {
	if n == 0 {
		return "", nil
	}
	if s, ok := t.names[n]; ok {
		return s, nil
	}
	key := binary.AppendUvarint(nil, n)
	val, err := unseal(key, t.tx.Bucket(bucketTexts).Get(key))
	if err != nil {
		return "", err
	}
	t.names[n] = string(val)
	return t.names[n], nil
}

// tree returns the number of the tree of a site, 0 if there is none and make is
// false.
func (t *table) tree(program uint64, site string, make bool) (uint64, error) {
	n, _, err := t.number(numberTree, string(binary.AppendUvarint(nil, program))+site, make)
	return n, err
}

// addProgram returns the program's number. Tables that were not known before are
// kept; known ones stay.
func (t *table) addProgram(p *Program) (uint64, error) {
	n, isNew, err := t.number(numberProgram, p.identity(), true)
	if err != nil {
		return 0, err
	}
	kept := p
	if !isNew {
		old, err := t.program(n)
		if err != nil {
			return 0, err
		}
		more := *old
		if len(more.Functions) == 0 {
			more.Functions = p.Functions
		}
		if len(more.Sites) == 0 {
			more.Sites = p.Sites
		}
		if len(more.Functions) == len(old.Functions) && len(more.Sites) == len(old.Sites) {
			return n, nil
		}
		kept = &more
	}
	tables, err := t.addTables(kept)
	if err != nil {
		return 0, err
	}
	text, err := json.Marshal(described{head: headOf(kept), Tables: tables})
	if err != nil {
		return 0, err
	}
	t.programs[n] = kept
	key := binary.AppendUvarint(nil, n)
	return n, t.tx.Bucket(bucketPrograms).Put(key, sealed(key, t.codec.pack(nil, text)))
}

// addTables keeps a program's tables, which the tests of a package share, and
// returns by which name.
func (t *table) addTables(p *Program) (string, error) {
	name, text, err := encodeTables(p)
	if err != nil || name == "" {
		return name, err
	}
	b := t.tx.Bucket(bucketTables)
	if b.Get([]byte(name)) != nil {
		return name, nil
	}
	return name, b.Put([]byte(name), sealed([]byte(name), t.codec.pack(nil, text)))
}

// program returns the one Program of a number.
func (t *table) program(n uint64) (*Program, error) {
	if p := t.programs[n]; p != nil {
		return p, nil
	}
	key := binary.AppendUvarint(nil, n)
	text, err := t.unpacked(bucketPrograms, key)
	if err != nil {
		return nil, err
	}
	var d described
	if json.Unmarshal(text, &d) != nil {
		return nil, errDamaged
	}
	var known tables
	if d.Tables != "" {
		if known, err = t.tablesOf(d.Tables); err != nil {
			return nil, err
		}
	}
	t.programs[n] = d.program(known)
	return t.programs[n], nil
}

func (t *table) tablesOf(name string) (tables, error) {
	if known, ok := t.tables[name]; ok {
		return known, nil
	}
	text, err := t.unpacked(bucketTables, []byte(name))
	if err != nil {
		return tables{}, err
	}
	var out tables
	if json.Unmarshal(text, &out) != nil {
		return out, errDamaged
	}
	t.tables[name] = out
	return out, nil
}

func (t *table) unpacked(bucket, key []byte) ([]byte, error) {
	val, err := unseal(key, t.tx.Bucket(bucket).Get(key))
	if err != nil {
		return nil, err
	}
	if val, err = t.codec.unpack(val); err != nil {
		return nil, errDamaged
	}
	return val, nil
}

// allPrograms returns the programs by number.
func (t *table) allPrograms() (map[uint64]*Program, error) {
	err := t.tx.Bucket(bucketPrograms).ForEach(func(key, _ []byte) error {
		r := reader{b: key}
		n := r.uint()
		if r.end() != nil {
			return errDamaged
		}
		_, err := t.program(n)
		return err
	})
	return t.programs, err
}

// row is a run as it is kept: paths are nodes.
type row struct {
	id      ID
	program uint64
	time    time.Time
	seed    uint64
	torn    bool
	machine uint64 // texts
	outcome uint64
	failure uint64
	threads []rowThread
}

type rowThread struct {
	name, site uint64 // texts
	end        node
}

func (r *row) encode() []byte {
	b := binary.AppendUvarint(nil, r.program)
	b = binary.AppendVarint(b, unixNano(r.time))
	b = binary.AppendUvarint(b, r.seed)
	b = append(b, b2i(r.torn))
	for _, n := range []uint64{r.machine, r.outcome, r.failure, uint64(len(r.threads))} {
		b = binary.AppendUvarint(b, n)
	}
	for _, t := range r.threads {
		b = binary.AppendUvarint(b, t.name)
		b = binary.AppendUvarint(b, t.site)
		b = binary.AppendUvarint(b, uint64(t.end))
	}
	return sealed(r.id[:], b)
}

func decodeRow(key, val []byte) (*row, error) {
	val, err := unseal(key, val)
	if err != nil || len(key) != len(ID{}) {
		return nil, errDamaged
	}
	r := reader{b: val}
	out := &row{id: ID(key), program: r.uint(), time: fromUnixNano(r.int()), seed: r.uint(), torn: r.byte() != 0,
		machine: r.uint(), outcome: r.uint(), failure: r.uint()}
	out.threads = make([]rowThread, r.threads())
	for i := range out.threads {
		out.threads[i] = rowThread{r.uint(), r.uint(), node(r.uint())}
	}
	if r.end() != nil {
		return nil, errDamaged
	}
	return out, nil
}

// rows calls f for each run, in the order of their IDs from the one after `after`,
// until f returns false.
func rows(tx *bolt.Tx, after []byte, f func(*row) (bool, error)) error {
	b := tx.Bucket(bucketRuns)
	if b == nil {
		return errDamaged
	}
	c := b.Cursor()
	key, val := c.First()
	if after != nil {
		if key, val = c.Seek(after); bytes.Equal(key, after) {
			key, val = c.Next()
		}
	}
	for ; key != nil; key, val = c.Next() {
		r, err := decodeRow(key, val)
		if err != nil {
			return err
		}
		if more, err := f(r); err != nil || !more {
			return err
		}
	}
	return nil
}
