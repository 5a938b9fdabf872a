// Package minigo holds small concurrent Go programs as data: they are generated
// at random, printed as Go source, run through sim, and all their behaviours
// are enumerated, independently of sim and of engine/constraint.
//
// A Program has a few shared objects and threads of statements over them;
// thread 0 is main. Everything a thread learns from shared objects goes into
// its history, a number that it folds after every operation: equal histories
// mean that it did the same and saw the same. What a program can do is then the
// set of all histories of each thread, complete or not, and the ways in which
// it can end (Behaviour). Model checkers of histories are compared by it.
//
// Enumerate is the definition: a search of all interleavings, and all choices of
// selects, with the parking of Go's runtime.
package minigo
