// Package difftest compares what may not differ: the solvers with each other
// and with an enumeration of all schedules, on random systems; exploration with
// a solver and the enumeration of everything that a random Go program can do;
// and both with the program under Go's own runtime. What exploration proves of
// programs on that runtime is held against a search of their schedules that
// knows no model, and against programs written to be proved falsely
// (testdata/odd). Together they are the proof that the model of
// engine/constraint is Go's.
//
// It holds tests only. -difftest.times multiplies how much they try,
// -difftest.seed moves them to other questions and programs; -difftest.brute,
// -difftest.schedules and -difftest.cpu say how much is tried on Go's runtime.
package difftest
