// Package synth runs a program as its sources say it, without a process: the SSA form
// (golang.org/x/tools/go/ssa) of the user's packages on the simulator of package sim.
// So executions are synthesised that no run of the program has shown (execution
// synthesis: Cortex §3.3.2), with what comes behind a branch that none took.
//
// A Program is a run.Twin. Runs of the real program, recorded, teach it where its
// positions are: how many switch points come before main or the test function, and
// how many a call passes that is not executed here; and which of its plain accesses
// are which sites of the binary. Where no run has shown any access of a line, all of
// the line are switch points together, or none.
//
// Executed are the packages of the program outside the standard library, and those
// listed in executed. Package sync, sync/atomic, channels, time.Sleep, runtime.Gosched
// and what tests call of package testing are the simulator's; a few functions of fmt
// and log are known to matter to nobody (natives.go). All else is opaque: it is not
// executed, and what it returns is unknown.
//
// Invariants:
//   - What is not modelled is unknown, and nothing is made of it: a run in which a
//     branch, an address, an index or an operand depends on it has no verdict, and
//     says why. No value is guessed.
//   - A run is a hypothesis. Map iteration, the capacity of large slices and what a
//     data race does to compiled code can differ in the real program.
//   - Equal specs give equal runs, if nothing was learnt between them.
//   - The memory of one goroutine alone is none of the simulator's business: variables
//     on the stack, and such as closures capture by value.
package synth
