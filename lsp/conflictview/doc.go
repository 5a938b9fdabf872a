// Package conflictview keeps what is known of the static conflicts of packages,
// and shows them in the texts that an editor has. The conflicts themselves are
// found by package analysis, in a process of its own; how a report is carried
// from the texts that it is about to later ones is in package present.
//
// Invariants:
//   - A Package never changes; a new report replaces it.
//   - Places are in the texts of the snapshot that they are asked for with. One
//     whose line was changed or deleted since the report is not shown.
//   - Nothing is run, and nothing is written.
//   - The package handles no messages: the server converts what it says.
package conflictview
