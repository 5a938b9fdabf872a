package tracedb

import (
	"fmt"
	"slices"

	bolt "go.etcd.io/bbolt"
)

// Add puts runs into the database, all or none; those that it has already count as
// none. It returns how many were new. They are on disk when it returns.
func (db *DB) Add(runs ...*Run) (added int, err error) {
	for _, r := range runs {
		if err := r.check(); err != nil {
			return 0, fmt.Errorf("add to %s: %w", db.path, err)
		}
	}
	err = db.update(func(tx *bolt.Tx) error {
		t, err := newTrie(tx, db.codec)
		if err != nil {
			return err
		}
		a := adder{trie: t, table: newTable(tx, db.codec), runs: tx.Bucket(bucketRuns), numbers: map[*Program]uint64{}, trees: map[treeKey]uint64{}}
		if added, err = a.all(runs); err != nil {
			return err
		}
		return t.flush()
	})
	if err != nil {
		added = 0
	}
	return added, err
}

type treeKey struct {
	program uint64
	site    string
}

// adder adds the runs of one transaction.
type adder struct {
	trie    *trie
	table   *table
	runs    *bolt.Bucket
	numbers map[*Program]uint64
	trees   map[treeKey]uint64
}

func (a *adder) all(runs []*Run) (added int, err error) {
	var fresh []*row
	seen := map[ID]bool{}
	for _, r := range runs {
		id := r.ID()
		if seen[id] || a.runs.Get(id[:]) != nil {
			continue
		}
		seen[id] = true
		row, err := a.row(id, r)
		if err != nil {
			return 0, err
		}
		fresh = append(fresh, row)
	}
	slices.SortFunc(fresh, func(x, y *row) int { return slices.Compare(x.id[:], y.id[:]) })
	for _, row := range fresh {
		if err := a.runs.Put(row.id[:], row.encode()); err != nil {
			return 0, err
		}
	}
	return len(fresh), nil
}

// row adds the paths and texts of a run.
func (a *adder) row(id ID, r *Run) (*row, error) {
	out := &row{id: id, time: r.Time, seed: r.Seed, torn: r.Torn, threads: make([]rowThread, len(r.Threads))}
	var err error
	if out.program, err = a.program(r.Program); err != nil {
		return nil, err
	}
	for _, t := range []struct {
		n *uint64
		s string
	}{{&out.machine, r.Machine}, {&out.outcome, r.Outcome}, {&out.failure, cutText(r.Failure)}} {
		if *t.n, err = a.table.text(t.s); err != nil {
			return nil, err
		}
	}
	for i := range r.Threads {
		if out.threads[i], err = a.thread(out.program, &r.Threads[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (a *adder) program(p *Program) (uint64, error) {
	n := a.numbers[p]
	if n != 0 {
		return n, nil
	}
	n, err := a.table.addProgram(p)
	a.numbers[p] = n
	return n, err
}

func (a *adder) thread(program uint64, t *Thread) (out rowThread, err error) {
	if out.name, err = a.table.text(t.Name); err != nil {
		return out, err
	}
	if out.site, err = a.table.text(t.Site); err != nil {
		return out, err
	}
	key := treeKey{program, t.tree()}
	tree := a.trees[key]
	if tree == 0 {
		if tree, err = a.table.tree(program, key.site, true); err != nil {
			return out, err
		}
		a.trees[key] = tree
	}
	path := append(append(make([]uint64, 0, 1+len(t.Tokens)), tree), t.Tokens...)
	out.end, err = a.trie.insert(path, 1)
	return out, err
}
