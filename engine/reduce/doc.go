// Package reduce simplifies a failing run and says what in it matters: a
// shorter schedule that fails in the same way (Simplify), which of its context
// switches are needed (Necessity), and the passing run that differs least
// (NearestPassing).
//
// All of it is experiments with a run.Runner: a schedule is returned only if it
// was run and failed in the same way. The package does not know where schedules
// come from, how runs are made, nor how a result is worded.
package reduce
