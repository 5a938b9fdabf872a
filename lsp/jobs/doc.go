// Package jobs runs heavy work, such as a find or a replay, one job of a queue
// at a time.
// A job is a child process that speaks over its pipes:
//
//	stdin   held open; the child ends when it is closed (hocket's -stdin-eof),
//	        so that a killed parent leaves nothing running
//	stdout  one JSON value, the answer
//	stderr  a JSON engine.Update per line (hocket's -progress json); other
//	        lines are the job's log, of which the last ones are kept
//
// Invariants:
//   - One job of a queue runs at a time; the others wait in the order of their
//     submission, in sight (Snapshot).
//   - Every submitted job ends, with exactly one outcome, which every Handle on
//     it sees. Nothing that a child does (crash, invalid output, megabytes, no output)
//     affects another job, or the caller by more than an error.
//   - A request for what is queued or running already joins it. A job is
//     cancelled when the last of its requests has released it.
//   - When a job has ended no process of it is left, to the extent that the
//     platform tells (session of the child on Linux, its process group
//     elsewhere).
//   - The package knows no protocol, and not what its jobs are about.
package jobs
