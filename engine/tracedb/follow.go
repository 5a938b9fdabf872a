package tracedb

import (
	"container/heap"

	bolt "go.etcd.io/bbolt"
)

// Query asks which paths begin in a way.
type Query struct {
	Program *Program // identity; its tables are needed only for Others
	Site    string   // of the thread, or its name if it has none
	Prefix  []uint64 // a path that is perturbed has its flipped outcome last
	N       int      // at most so many answers
	// Others also takes paths of other programs of the same package, entry and mode, as
	// far as they went through functions that did not change.
	Others bool
}

// Path is a path, or the beginning of one, that some recorded goroutine went.
type Path struct {
	Tokens []uint64 // all, the prefix included
	Runs   int      // goroutines that went it, in the program it comes from
	// Whole: the goroutine ended there. A path of another program ends where it came
	// into a function that is not the same.
	Whole bool
	From  *Program // nil: the one of the query
}

// Continue returns the shortest paths that begin with the prefix, in ascending
// order of length (Cortex §3.3.2). Paths of other programs come after all of the
// program itself.
func (db *DB) Continue(q Query) ([]Path, error) {
	var out []Path
	err := db.view(func(tx *bolt.Tx) error {
		t, err := newTrie(tx, db.codec)
		if err != nil {
			return err
		}
		tab := newTable(tx, db.codec)
		own, _, err := tab.number(numberProgram, q.Program.identity(), false)
		if err != nil {
			return err
		}
		if own != 0 {
			if out, err = t.shortest(tab, own, q.Site, q.Prefix, q.N); err != nil {
				return err
			}
		}
		if !q.Others || len(out) >= q.N {
			return nil
		}
		more, err := carried(t, tab, own, q, q.N-len(out))
		out = append(out, more...)
		return err
	})
	return out, err
}

// Seen counts the goroutines of a site that began with the prefix, and all of the
// site.
func (db *DB) Seen(p *Program, site string, prefix []uint64) (began, all int, err error) {
	err = db.view(func(tx *bolt.Tx) error {
		t, err := newTrie(tx, db.codec)
		if err != nil {
			return err
		}
		tab := newTable(tx, db.codec)
		n, _, err := tab.number(numberProgram, p.identity(), false)
		if err != nil || n == 0 {
			return err
		}
		tree, err := tab.tree(n, site, false)
		if err != nil || tree == 0 {
			return err
		}
		for _, c := range []struct {
			path []uint64
			n    *int
		}{{nil, &all}, {prefix, &began}} {
			e, _, err := t.find(append([]uint64{tree}, c.path...))
			if err != nil {
				return err
			}
			if e != nil {
				*c.n = int(e.count)
			}
		}
		return nil
	})
	return began, all, err
}

// shortest searches a tree from the prefix on by the length of paths.
func (t *trie) shortest(tab *table, program uint64, site string, prefix []uint64, n int) ([]Path, error) {
	tree, err := tab.tree(program, site, false)
	if err != nil || tree == 0 {
		return nil, err
	}
	e, beyond, err := t.find(append([]uint64{tree}, prefix...))
	if err != nil || e == nil {
		return nil, err
	}
	first := &reached{edge: e, size: len(prefix) + beyond}
	open := &frontier{first}
	made := 1
	var out []Path
	for open.Len() > 0 && len(out) < n {
		at := heap.Pop(open).(*reached)
		if at.edge.ends > 0 {
			tokens := at.tokens(append(make([]uint64, 0, at.size), prefix...), beyond)
			out = append(out, Path{Tokens: tokens, Runs: int(at.edge.ends), Whole: true})
		}
		err := t.below(at.edge.child, func(e *edge) error {
			heap.Push(open, &reached{e, at, at.size + 1 + len(e.label), made})
			made++
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// reached is an edge that the search came to.
type reached struct {
	edge   *edge
	from   *reached // nil: the first, on which the prefix ends
	size   int      // of the path to its end, in tokens
	number int      // in the order in which they were found
}

// tokens appends the path's tokens; of the first edge, only those beyond the prefix.
func (r *reached) tokens(out []uint64, beyond int) []uint64 {
	if r.from == nil {
		return append(out, r.edge.label[len(r.edge.label)-beyond:]...)
	}
	return append(append(r.from.tokens(out, beyond), r.edge.token), r.edge.label...)
}

// frontier is a heap: the shortest path first, of equally long ones the one that
// was found first.
type frontier []*reached

func (f frontier) Len() int { return len(f) }
func (f frontier) Less(i, j int) bool {
	if f[i].size != f[j].size {
		return f[i].size < f[j].size
	}
	return f[i].number < f[j].number
}
func (f frontier) Swap(i, j int) { f[i], f[j] = f[j], f[i] }
func (f *frontier) Push(x any)   { *f = append(*f, x.(*reached)) }
func (f *frontier) Pop() any {
	last := len(*f) - 1
	x := (*f)[last]
	*f = (*f)[:last]
	return x
}
