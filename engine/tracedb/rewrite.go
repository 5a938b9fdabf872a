package tracedb

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"
)

// Policy says which runs Prune drops.
type Policy struct {
	Before time.Time // older ones; zero: none
	Keep   int       // of each program, the last so many that passed, and all others; 0: all
	// Programs keeps, of each package and entry, only the programs that were recorded
	// last, so many; 0: all.
	Programs int
}

// Pruned is what Prune did.
type Pruned struct {
	Runs, Dropped int
	Size, Was     int64 // bytes of the file
}

// Prune drops runs and gives the room back: what stays is written to a new file,
// which takes the place of the old one in one step. The database stays open.
func (db *DB) Prune(ctx context.Context, policy Policy) (p Pruned, err error) {
	if p.Was, err = fileSize(db.path); err != nil {
		return p, err
	}
	drop, err := db.choose(policy)
	if err != nil {
		return p, err
	}
	p.Dropped = len(drop)
	err = db.replace(func(tmp string) error {
		if len(drop) == 0 {
			return db.guard(func() error { return compact(tmp, db.bolt) })
		}
		return db.copyTo(ctx, tmp, Filter{Ignore: drop})
	})
	if err != nil {
		return p, err
	}
	if err := db.view(func(tx *bolt.Tx) error {
		p.Runs = tx.Bucket(bucketRuns).Stats().KeyN
		return nil
	}); err != nil {
		return p, err
	}
	p.Size, err = fileSize(db.path)
	return p, err
}

// replace puts a new file into the place of the database's, which stays open.
func (db *DB) replace(make func(tmp string) error) error {
	tmp := db.path + ".new"
	os.Remove(tmp) // of a process that was killed
	if err := make(tmp); err != nil {
		os.Remove(tmp)
		return err
	}
	if err := db.bolt.Close(); err != nil {
		return err
	}
	renamed := os.Rename(tmp, db.path)
	fresh, err := open(db.path, Options{Wait: time.Second})
	if err != nil {
		return fmt.Errorf("open %s again: %w", db.path, err)
	}
	db.codec.close()
	db.bolt, db.codec = fresh.bolt, fresh.codec
	return renamed
}

// Each transaction writes the pages that it changes to new places. What that leaves
// behind is used by the next ones, and given back after a merge if it is much.
const (
	smallFile = 32 << 20
	freeShare = 4 // a quarter of the file
)

func (db *DB) shrink() error {
	size, err := fileSize(db.path)
	if err != nil || size < smallFile {
		return err
	}
	free := int64(0)
	err = db.view(func(tx *bolt.Tx) error {
		st := tx.DB().Stats()
		free = int64(st.FreePageN+st.PendingPageN) * int64(tx.DB().Info().PageSize)
		return nil
	})
	if err != nil || free < size/freeShare {
		return err
	}
	return db.replace(func(tmp string) error {
		return db.guard(func() error { return compact(tmp, db.bolt) })
	})
}

func fileSize(name string) (int64, error) {
	info, err := os.Stat(name)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// copyTo writes the chosen runs to a new database, each page as full as it gets.
func (db *DB) copyTo(ctx context.Context, name string, f Filter) error {
	raw := name + ".raw"
	os.Remove(raw)
	defer os.Remove(raw)
	to, err := open(raw, Options{Wait: time.Second})
	if err != nil {
		return err
	}
	to.bolt.NoSync = true // it is not the database yet
	b := batch{add: func(runs []*Run) error {
		_, err := to.Add(runs...)
		return err
	}}
	err = db.Each(ctx, f, func(_ ID, r *Run) error { return b.put(r) })
	if err == nil {
		err = b.flush()
	}
	if err == nil {
		err = compact(name, to.bolt)
	}
	to.codec.close()
	return cmp.Or(err, to.bolt.Close())
}

func compact(name string, from *bolt.DB) error {
	to, err := bolt.Open(name, 0o666, &bolt.Options{Timeout: time.Second, NoStatistics: true})
	if err != nil {
		return err
	}
	err = bolt.Compact(to, from, 1<<24)
	return cmp.Or(err, to.Close())
}

// choose returns the runs that a policy drops.
func (db *DB) choose(policy Policy) (map[ID]bool, error) {
	drop := map[ID]bool{}
	type seen struct {
		rows []*row
		last time.Time
	}
	byProgram := map[uint64]*seen{}
	err := db.view(func(tx *bolt.Tx) error {
		t := newTable(tx, db.codec)
		err := rows(tx, nil, func(r *row) (bool, error) {
			s := byProgram[r.program]
			if s == nil {
				s = &seen{}
				byProgram[r.program] = s
			}
			if r.time.After(s.last) {
				s.last = r.time
			}
			if r.time.Before(policy.Before) {
				drop[r.id] = true
				return true, nil
			}
			outcome, err := t.name(r.outcome)
			if outcome == Passed {
				s.rows = append(s.rows, &row{id: r.id, time: r.time})
			}
			return true, err
		})
		if err != nil {
			return err
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if policy.Keep > 0 {
		for _, s := range byProgram {
			slices.SortFunc(s.rows, func(a, b *row) int { return cmp.Or(b.time.Compare(a.time), slices.Compare(a.id[:], b.id[:])) })
			for _, r := range s.rows[min(policy.Keep, len(s.rows)):] {
				drop[r.id] = true
			}
		}
	}
	if policy.Programs > 0 {
		last := map[uint64]time.Time{}
		for n, s := range byProgram {
			last[n] = s.last
		}
		err = db.dropPrograms(policy.Programs, last, drop)
	}
	return drop, err
}

// dropPrograms drops the runs of all but the last programs of each package, entry
// and mode.
func (db *DB) dropPrograms(keep int, last map[uint64]time.Time, drop map[ID]bool) error {
	return db.view(func(tx *bolt.Tx) error {
		t := newTable(tx, db.codec)
		of := map[[3]string][]uint64{}
		for _, n := range slices.Sorted(maps.Keys(last)) {
			p, err := t.program(n)
			if err != nil {
				return err
			}
			key := [3]string{p.Package, p.Entry, p.Mode}
			of[key] = append(of[key], n)
		}
		old := map[uint64]bool{}
		for _, numbers := range of {
			slices.SortStableFunc(numbers, func(a, b uint64) int { return last[b].Compare(last[a]) })
			for _, n := range numbers[min(keep, len(numbers)):] {
				old[n] = true
			}
		}
		return rows(tx, nil, func(r *row) (bool, error) {
			if old[r.program] {
				drop[r.id] = true
			}
			return true, nil
		})
	})
}
