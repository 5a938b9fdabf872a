package store

import (
	"errors"
	"io/fs"
	"slices"
)

// Item is a record with what lies beside it. It is never changed again.
type Item struct {
	Record *Record
	Texts  Texts
	Replay *Replay
	Fixes  *Fixes
}

// Cache reads a store again and again, each file only when it changed. It is
// for one goroutine at a time.
type Cache struct {
	store *Store
	items map[string]held // by the path of the record
}

// held is an item, or why there is none, and the files that it was read from.
type held struct {
	item     *Item
	problems []error
	files    listing
}

// Cache returns an empty cache of the store.
func (s *Store) Cache() *Cache { return &Cache{store: s, items: map[string]held{}} }

// Load returns what the store holds now, newest first, and one error for each
// file that can't be read. Items of unchanged files are the same pointers as
// before.
func (c *Cache) Load() ([]*Item, []error) {
	now := c.store.list()
	kept := map[string]held{}
	seen := map[string]bool{}
	var items []*Item
	var problems []error
	for _, path := range now.records(c.store.dirs()) {
		h, ok := c.items[path]
		if files := now.about(path); !ok || !h.files.same(files) {
			h = c.read(path)
			h.files = files
		}
		kept[path] = h
		problems = append(problems, h.problems...)
		if h.item != nil && !seen[h.item.Record.Finding.ID] {
			seen[h.item.Record.Finding.ID] = true
			items = append(items, h.item)
		}
	}
	c.items = kept
	slices.SortStableFunc(items, func(a, b *Item) int { return b.Record.Found.Compare(a.Record.Found) })
	return items, problems
}

// read reads a record and what belongs to it. What lies beside it is no reason
// to lose the finding; a file that vanished meanwhile was no problem.
func (c *Cache) read(path string) (h held) {
	problem := func(err error) {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			h.problems = append(h.problems, err)
		}
	}
	r, err := read(path)
	problem(err)
	if err != nil {
		return h
	}
	h.item = &Item{Record: r}
	h.item.Texts, err = c.store.Texts(r)
	problem(err)
	h.item.Replay, err = c.store.LastReplay(r)
	problem(err)
	h.item.Fixes = c.store.Fixes(r)
	return h
}
