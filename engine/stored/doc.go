// Package stored implements what can be done with a stored finding: show,
// replay, explain and debug it, and print a test of it.
//
// Invariants:
//   - A finding describes the sources that it was made from. If those have
//     changed since, every answer says so.
//   - Showing findings (Module) runs no process and writes nothing.
package stored
