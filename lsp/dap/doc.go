// Package dap is Hocket's debug adapter: it serves one session of the Debug
// Adapter Protocol to an editor and has Delve's own adapter do the work.
//
// Most messages pass through as they are. What Hocket adds:
//   - launch: the program of a finding is prepared and put in the place of
//     whatever the editor wanted to start;
//   - breakpoints: the stops of the finding are set beside the editor's, who
//     does not see them. An editor sets all breakpoints of a file at once, so
//     each of its requests is completed with the file's stops;
//   - stopped: where the program stands at one of the stops, the event says so.
//
// Invariants:
//   - One goroutine, that of Serve, owns the state of a session; two others only
//     read messages, one waits for the preparation.
//   - Every request of the editor gets one answer, also when Delve dies.
//   - When Serve returns, Delve has ended, and the program with it.
package dap
