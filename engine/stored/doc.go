// Package stored does what can be done with a finding that is kept: show it, replay
// it, explain it, debug it, and print a test of it.
//
// Invariants:
//   - What a finding says is about the sources that it was made from. Where those
//     have changed since, every answer says so.
//   - Showing findings (Module) runs no process and writes nothing.
package stored
