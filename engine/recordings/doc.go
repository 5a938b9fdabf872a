// Package recordings is one call of hocket record, and the way from a recorded run to
// a finding: it finds targets, has them built and run by engine/record/play, and keeps
// runs in .hocket/runs.
//
// Invariants:
//   - What was recorded before a cancel is kept and reported.
//   - A run that failed is always kept; of those that passed, one of each order.
//   - It knows no formats (engine/record) and no search (engine/hunt).
package recordings
