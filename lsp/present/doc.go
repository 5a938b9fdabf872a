// Package present turns findings into what an editor shows of them:
// diagnostics, hovers and lenses, as plain data.
//
// A View is made of the findings of one module and today's texts of its files.
// Lines and columns are those of today's texts, start at 1, and columns count
// bytes; who speaks a protocol converts them.
//
// Concurrent breakpoints (Break) and static conflicts (Conflicts) are shown by
// the same rules; whoever has the texts says where the breakpoints' sides are.
//
// What a finding is worth showing for is its State:
//
//   - Current: every line that it names is as it was when found, wherever
//     edits elsewhere moved it (package anchor).
//   - Changed: it was current since this server runs, and one of its lines was
//     edited. It stays visible, quieter, and says so.
//   - Older: its lines were different already when this server first saw it,
//     or the texts as they were are not known (findings of older versions of
//     Hocket keep none). It is not among the diagnostics, lenses offer it.
//   - Fixed: a search of today's texts ended without it (engine.Fixed). It is
//     shown nowhere but in lists and as a lens. A replay that did not fail is
//     not enough: in changed sources its schedule may mean something else.
//
// Invariants:
//   - One diagnostic for each line of the root cause in the main module, and
//     for each kind of finding on it; the step of a helper or a dependency
//     counts at the line that the explanation shows for it, its caller's. A
//     finding without such a line is shown where it fails or is blocked, else at
//     its entry.
//   - Ranges are never empty and never leave their line.
//   - A message is one line of fewer than 100 characters. One place of a finding says
//     what fails and how surely, with all other places as related information; the
//     diagnostics of its other steps are hints, and lead to that place.
//   - How sure a finding is decides its severity, and is shown: Warning for
//     what fails on the ordinary build, compiled as for production, or is a
//     proved race; Hint for what was seen under control only, and for what needs
//     somebody to be slower than a timer.
//   - The numbers of lines in sentences and tables are today's.
//   - A View never changes: it may be used by several goroutines at once.
package present
