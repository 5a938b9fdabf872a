package tracedb

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	bolt "go.etcd.io/bbolt"
)

// All trees are one: below node 0 the edges are numbered by tree, so that a path is
// its tree and then its tokens. A node has no value of its own; what is known of it
// is on the edge that leads to it.
//
//	edges: parent node, first token -> child node, counts, further tokens
//	nodes: node -> parent, first token
//
// A node keeps its number when an edge is split above it: runs refer to nodes.
// Edges are split, and never joined.

type node uint64

// edge leads from a node over one token or more.
type edge struct {
	parent node
	token  uint64 // the first
	child  node
	count  uint64   // of paths that went here
	ends   uint64   // of those, how many end at child
	label  []uint64 // the tokens after the first
}

type edgeKey struct {
	parent node
	token  uint64
}

// bytes of a key: the parent's 5 bytes, then the token with its length before it,
// so that the edges of a node lie together, in the order of their tokens.
func (k edgeKey) bytes() []byte { return appendKey(k.parent.key(), k.token) }

const maxNode = 1<<40 - 1

func (n node) key() []byte {
	return []byte{byte(n >> 32), byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}
}

func appendKey(b []byte, token uint64) []byte {
	var t [8]byte
	binary.BigEndian.PutUint64(t[:], token)
	skip := 0
	for skip < 8 && t[skip] == 0 {
		skip++
	}
	return append(append(b, byte(8-skip)), t[skip:]...)
}

func parseKey(b []byte) (edgeKey, error) {
	if len(b) < 6 || int(b[5]) != len(b)-6 || b[5] > 8 {
		return edgeKey{}, errDamaged
	}
	var k edgeKey
	for _, x := range b[:5] {
		k.parent = k.parent<<8 | node(x)
	}
	for _, x := range b[6:] {
		k.token = k.token<<8 | uint64(x)
	}
	return k, nil
}

// trie is the tree within one transaction. Edges that were read stay decoded;
// what was changed is written by flush.
type trie struct {
	edges, nodes *bolt.Bucket
	codec        *codec
	seen         map[edgeKey]*edge
	to           map[node]*edge // of seen, those that are often walked
	dirty        map[edgeKey]bool
	up           map[node]edgeKey // of nodes that flush must write
	last         node             // the largest number given
}

// While only reading, edges that several paths share stay decoded, so many of them.
const (
	maxSeen = 1 << 18
	often   = 3
)

func newTrie(tx *bolt.Tx, c *codec) (*trie, error) {
	t := &trie{edges: tx.Bucket(bucketEdges), nodes: tx.Bucket(bucketNodes), codec: c,
		seen: map[edgeKey]*edge{}, to: map[node]*edge{}, dirty: map[edgeKey]bool{}, up: map[node]edgeKey{}}
	if t.edges == nil || t.nodes == nil {
		return nil, errDamaged
	}
	t.last = node(t.nodes.Sequence())
	return t, nil
}

// get returns nil if there is no such edge.
func (t *trie) get(k edgeKey) (*edge, error) {
	if e := t.seen[k]; e != nil {
		return e, nil
	}
	key := k.bytes()
	val := t.edges.Get(key)
	if val == nil {
		return nil, nil
	}
	e, err := t.decode(k, key, val)
	if err != nil {
		return nil, err
	}
	if len(t.dirty) > 0 {
		t.seen[k] = e
	} else if e.count >= often {
		if len(t.seen) >= maxSeen {
			clear(t.seen)
			clear(t.to)
		}
		t.seen[k] = e
		t.to[e.child] = e
	}
	return e, nil
}

func (t *trie) decode(k edgeKey, key, val []byte) (*edge, error) {
	val, err := unseal(key, val)
	if err != nil {
		return nil, err
	}
	r := reader{b: val}
	e := &edge{parent: k.parent, token: k.token, child: node(r.uint()), count: r.uint(), ends: r.uint()}
	n := r.uint()
	if r.err != nil || n > maxTokens {
		return nil, errDamaged
	}
	if n > 0 {
		if r.b, err = t.codec.unpack(r.b); err != nil || n > uint64(len(r.b)) {
			return nil, errDamaged
		}
		e.label = r.tokens(int(n))
	}
	if r.end() != nil {
		return nil, errDamaged
	}
	return e, nil
}

func (t *trie) encode(key []byte, e *edge) []byte {
	b := binary.AppendUvarint(nil, uint64(e.child))
	b = binary.AppendUvarint(b, e.count)
	b = binary.AppendUvarint(b, e.ends)
	b = binary.AppendUvarint(b, uint64(len(e.label)))
	if len(e.label) > 0 {
		b = t.codec.pack(b, appendTokens(nil, e.label))
	}
	return sealed(key, b)
}

// put remembers an edge that is new or changed.
func (t *trie) put(e *edge) {
	k := edgeKey{e.parent, e.token}
	t.seen[k] = e
	t.dirty[k] = true
}

func (t *trie) newNode(at edgeKey) node {
	t.last++
	t.up[t.last] = at
	return t.last
}

// insert adds k paths that are equal, and returns the node at their end. The path
// has its tree before it.
func (t *trie) insert(path []uint64, k uint64) (node, error) {
	at := node(0)
	for {
		key := edgeKey{at, path[0]}
		e, err := t.get(key)
		if err != nil {
			return 0, err
		}
		if e == nil {
			if t.last >= maxNode {
				return 0, fmt.Errorf("the database is full: it has %d nodes", uint64(maxNode))
			}
			e = &edge{parent: at, token: path[0], child: t.newNode(key), count: k, ends: k, label: path[1:]}
			t.put(e)
			return e.child, nil
		}
		same := common(e.label, path[1:])
		if same < len(e.label) {
			t.split(e, same)
		}
		e.count += k
		t.put(e)
		if path = path[1+same:]; len(path) == 0 {
			e.ends += k
			return e.child, nil
		}
		at = e.child
	}
}

// split puts a node into the edge after its first token and n more.
func (t *trie) split(e *edge, n int) {
	key := edgeKey{e.parent, e.token}
	mid := t.newNode(key)
	lower := &edge{parent: mid, token: e.label[n], child: e.child, count: e.count, ends: e.ends, label: e.label[n+1:]}
	t.put(lower)
	t.up[e.child] = edgeKey{mid, lower.token}
	e.child, e.ends, e.label = mid, 0, e.label[:n:n]
	t.put(e)
}

func common(a, b []uint64) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// flush writes what was changed.
func (t *trie) flush() error {
	keys := make([][]byte, 0, len(t.dirty))
	for k := range t.dirty {
		keys = append(keys, k.bytes())
	}
	slices.SortFunc(keys, slices.Compare)
	for _, key := range keys {
		k, err := parseKey(key)
		if err != nil {
			return err
		}
		if err := t.edges.Put(key, t.encode(key, t.seen[k])); err != nil {
			return err
		}
	}
	for _, n := range slices.Sorted(maps.Keys(t.up)) {
		if err := t.nodes.Put(n.key(), t.up[n].bytes()); err != nil {
			return err
		}
	}
	clear(t.dirty)
	clear(t.up)
	return t.nodes.SetSequence(uint64(t.last))
}

// edgeTo returns the edge that leads to a node, where nothing was changed.
func (t *trie) edgeTo(n node) (*edge, error) {
	if e := t.to[n]; e != nil {
		return e, nil
	}
	k, err := parseKey(t.nodes.Get(n.key()))
	if err != nil {
		return nil, err
	}
	e, err := t.get(k)
	if err != nil {
		return nil, err
	}
	if e == nil || e.child != n || e.parent > t.last {
		return nil, errDamaged
	}
	return e, nil
}

// path returns the tokens from node 0 to n, its tree first.
func (t *trie) path(n node) ([]uint64, error) {
	var edges []*edge
	size := 0
	for at := n; at != 0; {
		e, err := t.edgeTo(at)
		if err != nil {
			return nil, err
		}
		edges = append(edges, e)
		if size += 1 + len(e.label); size > maxTokens+1 || len(edges) > int(t.last)+1 {
			return nil, errDamaged // or it goes round
		}
		at = e.parent
	}
	out := make([]uint64, 0, size)
	for _, e := range slices.Backward(edges) {
		out = append(append(out, e.token), e.label...)
	}
	if len(out) == 0 {
		return nil, errDamaged
	}
	return out, nil
}

// below calls f for each edge that leaves a node, in the order of their tokens.
func (t *trie) below(n node, f func(*edge) error) error {
	c := t.edges.Cursor()
	prefix := n.key()
	for key, val := c.Seek(prefix); key != nil && len(key) >= 5 && string(key[:5]) == string(prefix); key, val = c.Next() {
		k, err := parseKey(key)
		if err != nil {
			return err
		}
		e, err := t.decode(k, key, val)
		if err != nil {
			return err
		}
		if err := f(e); err != nil {
			return err
		}
	}
	return nil
}

// find follows a path from node 0. It returns the edge on which the path ends and
// how many of the edge's tokens lie beyond it; nil if nobody went that way.
func (t *trie) find(path []uint64) (*edge, int, error) {
	at := node(0)
	for {
		e, err := t.get(edgeKey{at, path[0]})
		if e == nil || err != nil {
			return nil, 0, err
		}
		same := common(e.label, path[1:])
		switch {
		case 1+same == len(path):
			return e, len(e.label) - same, nil
		case same < len(e.label):
			return nil, 0, nil
		}
		path = path[1+same:]
		at = e.child
	}
}
