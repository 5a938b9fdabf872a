package tracedb

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"
)

// Group is what the runs of one program are together.
type Group struct {
	Program  *Program
	Runs     int
	Failed   int // of Runs
	Torn     int // of Runs
	Distinct int // executions with different paths
	First    time.Time
	Last     time.Time
	Machines []string // sorted
}

// Groups lists the programs with their runs, the one that was recorded last first.
func (db *DB) Groups() ([]*Group, error) {
	var out []*Group
	err := db.view(func(tx *bolt.Tx) error {
		t := newTable(tx, db.codec)
		groups := map[uint64]*Group{}
		seen := map[string]bool{}
		err := rows(tx, nil, func(r *row) (bool, error) {
			g := groups[r.program]
			if g == nil {
				p, err := t.program(r.program)
				if err != nil {
					return false, err
				}
				g = &Group{Program: p, First: r.time}
				groups[r.program] = g
			}
			if key := r.execution(); !seen[key] {
				seen[key] = true
				g.Distinct++
			}
			return true, g.add(t, r)
		})
		out = slices.Collect(maps.Values(groups))
		return err
	})
	slices.SortFunc(out, func(a, b *Group) int {
		return cmp.Or(b.Last.Compare(a.Last), strings.Compare(a.Program.identity(), b.Program.identity()))
	})
	return out, err
}

func (g *Group) add(t *table, r *row) error {
	outcome, err := t.name(r.outcome)
	if err != nil {
		return err
	}
	machine, err := t.name(r.machine)
	if err != nil {
		return err
	}
	g.Runs++
	if outcome != Passed {
		g.Failed++
	}
	if r.torn {
		g.Torn++
	}
	if r.time.Before(g.First) {
		g.First = r.time
	}
	if r.time.After(g.Last) {
		g.Last = r.time
	}
	if at, ok := slices.BinarySearch(g.Machines, machine); !ok && machine != "" {
		g.Machines = slices.Insert(g.Machines, at, machine)
	}
	return nil
}

// execution is equal for runs whose goroutines went the same ways.
func (r *row) execution() string {
	var b strings.Builder
	fmt.Fprint(&b, r.program)
	for _, t := range r.threads {
		fmt.Fprintf(&b, " %d %d", t.name, t.end)
	}
	return b.String()
}

// Stored is a run in the database.
type Stored struct {
	ID ID
	*Run
	// Same counts, for each thread, the paths of its tree that are equal to its own,
	// itself included; Paths all of its tree.
	Same, Paths []int
}

// ErrNoRun means that no run has the name.
var ErrNoRun = errors.New("no such run")

// Run returns the run whose ID begins with the hexadecimal digits of name, or,
// for "last", the one recorded last.
func (db *DB) Run(name string) (*Stored, error) {
	var out *Stored
	err := db.view(func(tx *bolt.Tx) error {
		found, err := findRow(tx, strings.ToLower(name))
		if err != nil {
			return err
		}
		d, err := newDecoder(tx, db.codec)
		if err != nil {
			return err
		}
		run, err := d.run(found)
		if err != nil {
			return err
		}
		out = &Stored{ID: found.id, Run: run, Same: make([]int, len(found.threads)), Paths: make([]int, len(found.threads))}
		for i, t := range found.threads {
			if out.Same[i], out.Paths[i], err = d.shares(t.end); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

func findRow(tx *bolt.Tx, name string) (*row, error) {
	if len(name) < 4 {
		return nil, fmt.Errorf("%q is too short for the id of a run: 4 digits or more", name)
	}
	var found, second *row
	err := rows(tx, nil, func(r *row) (bool, error) {
		switch {
		case name == "last":
			if found == nil || r.time.After(found.time) {
				found = r
			}
		case strings.HasPrefix(hex.EncodeToString(r.id[:]), name):
			found, second = r, found
		}
		return second == nil, nil
	})
	switch {
	case err != nil:
		return nil, err
	case found == nil:
		return nil, fmt.Errorf("%w: %s", ErrNoRun, name)
	case second != nil:
		return nil, fmt.Errorf("%s is the beginning of several ids of runs: %s, %s, ...", name, second.id, found.id)
	}
	return found, nil
}

// decoder turns rows into runs, within one transaction.
type decoder struct {
	trie  *trie
	table *table
	paths map[node][]uint64
	size  int // tokens in paths
}

func newDecoder(tx *bolt.Tx, c *codec) (*decoder, error) {
	t, err := newTrie(tx, c)
	return &decoder{trie: t, table: newTable(tx, c), paths: map[node][]uint64{}}, err
}

// Runs with equal paths share their tokens.
func (d *decoder) run(r *row) (*Run, error) {
	p, err := d.table.program(r.program)
	if err != nil {
		return nil, err
	}
	out := &Run{Program: p, Time: r.time, Seed: r.seed, Torn: r.torn, Threads: make([]Thread, len(r.threads))}
	names := []struct {
		s *string
		n uint64
	}{{&out.Machine, r.machine}, {&out.Outcome, r.outcome}, {&out.Failure, r.failure}}
	for i, t := range r.threads {
		to := &out.Threads[i]
		names = append(names, struct {
			s *string
			n uint64
		}{&to.Name, t.name}, struct {
			s *string
			n uint64
		}{&to.Site, t.site})
		if to.Tokens, err = d.path(t.end); err != nil {
			return nil, err
		}
	}
	for _, n := range names {
		if *n.s, err = d.table.name(n.n); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// maxPaths bounds the tokens of paths that are kept for other runs.
const maxPaths = 4 << 20

func (d *decoder) path(end node) ([]uint64, error) {
	if p, ok := d.paths[end]; ok {
		return p, nil
	}
	p, err := d.trie.path(end)
	if err != nil {
		return nil, err
	}
	if d.size += len(p); d.size > maxPaths {
		clear(d.paths)
		d.size = len(p)
	}
	d.paths[end] = p[1:] // without the tree
	return p[1:], nil
}

// shares counts the paths that end at a node, and those of its tree.
func (d *decoder) shares(end node) (same, all int, err error) {
	e, err := d.trie.edgeTo(end)
	if err != nil {
		return 0, 0, err
	}
	same = int(e.ends)
	for e.parent != 0 {
		if e, err = d.trie.edgeTo(e.parent); err != nil {
			return 0, 0, err
		}
	}
	return same, int(e.count), nil
}
