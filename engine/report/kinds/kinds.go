// Package kinds documents the kinds and classes of findings: one Doc each, from
// which hocket help, links of diagnostics, and docs/findings.md come.
//
// Invariants:
//   - IDs are those of report.Finding's Kind and Class: a contract, never
//     renamed. Each is the anchor of its section in docs/findings.md.
//   - Before and After are whole Go files that build. Searching Before gives a
//     finding of this kind or class, searching After gives none: a test runs
//     hocket on them. Only the class "other" has no programs.
//   - Plain text and data, standard library only.
package kinds

import "slices"

// Doc says what one kind or class of findings means.
type Doc struct {
	ID    string // "data-race"
	Title string // what it is, in a few words: no capital, no full stop
	Text  string // what it means, in paragraphs of plain text
	// Before has the bug and After does not: one file each, of package main or
	// with a test; formatted.
	Before, After string
	Fix           string // how to fix it; its first sentence stands alone
	Kind          bool   // a Finding's Kind can have this ID
	Class         bool   // a Finding's Class can; "deadlock" and "data-race" are both
}

// All returns the kinds, then the classes that are no kinds.
func All() []Doc { return slices.Concat(kindDocs(), bothDocs(), classDocs()) }

// Get returns the doc of a kind or class.
func Get(id string) (Doc, bool) {
	for _, d := range All() {
		if d.ID == id {
			return d, true
		}
	}
	return Doc{}, false
}

// URL is where the doc of a kind or class can be read.
func URL(id string) string {
	return "https://github.com/hocket-dev/hocket/blob/main/docs/findings.md#" + id
}
