// Package dap is Hocket's debug adapter: it serves one session of the Debug
// Adapter Protocol to an editor and has Delve's own adapter do the work.
//
// Most messages pass through as they are. A guide knows what is debugged: the
// program of a finding, stopped at the switches of its schedule (switches), or a
// program with concurrent breakpoints, stopped where sides meet (meetings). What
// is added:
//   - launch: the program is prepared and put in the place of whatever the
//     editor wanted to start;
//   - breakpoints: the guide's stops are set beside the editor's, who does not
//     see them. An editor sets all breakpoints of a file at once, so each of its
//     requests is completed with the file's stops;
//   - stopped: where the program stands at one of the stops, the event says so;
//   - stacks: a goroutine that a breakpoint holds stands before its statement;
//     the frames of the runtime that holds it are not shown, and steps start
//     from the statement.
//
// Invariants:
//   - One goroutine, that of Serve, owns the state of a session; two others only
//     read messages, one waits for the preparation.
//   - Every request of the editor gets one answer, also when Delve dies.
//   - When Serve returns, Delve has ended, and the program with it.
package dap
