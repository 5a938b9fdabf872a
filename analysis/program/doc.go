// Package program is a Go program as analyses see it: packages loaded from
// source, their SSA form, and what comes before what in a function.
//
//   - load, problems: the packages asked for with syntax and types; what they
//     import comes from export data. What is wrong with them, a line each.
//   - program: the SSA form, which function a call may run, and where a function
//     that is only declared has its body.
//   - flow: reachability, dominance and loops in the control flow graph of one
//     function. Of control dependence it has what dominance gives: the branch
//     without which an instruction is not executed ([OnlyIfTaken]). There are no
//     post-dominators. (Package engine/source reads from the syntax which
//     statements decide about a line, with their texts: that is for explanations,
//     of files that need not compile.)
//
// Invariants:
//   - A broken package gives what it can: one that does not parse or compile is
//     a line in Problems, and others are there all the same. A panic of the SSA
//     builder costs one package and, if that compiles, is reported as a bug.
//   - A package with tests is there once, with them; an external test is a
//     package of its own.
//   - Equal sources give equal programs, in the same order.
//   - Answers about flow are of instructions, whatever values they have: a
//     branch whose condition is constant has two ways.
//   - The package knows nothing of goroutines, locks and conflicts. A Program is
//     for one goroutine.
package program
