// Package marker holds the tests of what the language server shows: txtar
// archives that are run against the real server, in this process, over its
// real protocol (package lsptest). This file is their grammar.
//
// # Archives
//
// An archive testdata/NAME.txt is a workspace, what is known of it, and what a
// client must see. Its comment, before the first file, says what it is about.
// Its files are
//
//	use                        names of programs, one a line: the files of
//	                           testdata/programs/NAME.txtar come first, those of
//	                           the archive replace them
//	PATH.go, go.mod, ...       files of the workspace
//	[DIR/].hocket/findings/ID.json
//	                           a record as the store of the module in DIR keeps
//	                           it, made by a real "hocket find"; traces left out
//	[DIR/].hocket/sources/FILE the text of a file when the findings were made,
//	                           if it isn't that of the workspace
//	[DIR/].hocket/FILE         any other file of hocket's
//	answers/WORDS.json         what a child prints: "vet.json" for hocket vet,
//	                           "break-run.json" for hocket break run; without
//	                           it the child fails
//	settings.json              the section "hocket" of the client's settings
//	options                    lines of options, see below
//	script                     what happens, and is expected, after the start
//	@NAME                      golden text that an expectation names
//
// Options are
//
//	links      the client renders markdown as VS Code does: with links
//	plain      the client takes plain text only
//	utf8       the client counts columns in bytes
//	closed     no document is open at the start; else all Go files are
//	nosources  the findings have no texts, as those of older versions
//	debugs     the client can debug findings
//	marks      the client shows breakpoints (experimental.hocketBreakpoints)
//	nofolder   the client has no workspace folder
//	extra      the client's problem list may hold more than is expected
//
// # Markers and steps
//
// A marker is a comment at the end of a line that says what is shown there when
// the workspace is open:
//
//	q.left += n //@diag("q.left += n", severity="warning"), hover("left", @sentence)
//
// A step is a line of the script. Markers and steps are calls with the same
// names; in a step the file comes first, and TEXT means the first occurrence of
// it in the file, or that on line N if TEXT is followed by line=N.
//
//	diag([FILE,] TEXT, severity=S, code=S, message=RE, related=N, ids=S)
//	        there is a diagnostic whose range is exactly TEXT
//	lens([FILE, TEXT,] TITLE...)
//	        these are the titles of the lenses on the line, in this order
//	hover([FILE,] TEXT, GOLDEN or RE)
//	        hovering over TEXT shows it
//	nohover([FILE,] TEXT)
//	        the answer is null
//	action([FILE,] TEXT, TITLE...)
//	        these are the quick fixes on TEXT, in this order
//	breakaction([FILE,] TEXT, TITLE...)
//	        these are the code actions about breakpoints on TEXT, in this order
//
// When a file has a diag (or lens) marker, all diagnostics (or lenses) of the
// workspace's files must be marked. These are for scripts only:
//
//	nodiag(FILE)                 the client has no diagnostics of the file
//	choices(FILE, TEXT, TITLE...) the list that the lens on the line of TEXT opens; a
//	                             golden text has the findings of the choices, too
//	nolens(FILE)                 no line of the file has lenses
//	diags(GOLDEN)                all diagnostics of all files, in full
//	debug(ID)                    hocket.debug says how to debug a finding
//	state(ID, STATE)             what hocket.list says of a finding; "" for gone
//	list(GOLDEN)                 the answer of hocket.list
//	edit(FILE, OLD, NEW)         types: replaces the first occurrence of OLD
//	replace(FILE, OLD, NEW)      the same, sent as the whole text
//	open(FILE) close(FILE) save(FILE)
//	write(FILE, OLD, NEW)        changes the file on disk, without the editor
//	touch(FILE)                  tells of a change on disk (didChangeWatchedFiles)
//	remove(FILE)                 deletes a file on disk, and tells
//	put(ID) drop(ID)             a finding of the archive comes to the store, as
//	                             from another process, or is deleted from it;
//	                             records named ID.json.later wait for put
//	replayed(ID, runs=N, failed=N, same=BOOL)
//	                             another process has replayed it
//	searched(ID)                 another process has searched what is on disk, and
//	                             not found it
//	settings(JSON)               the user changes settings
//	set(FILE, TEXT, line=N, candidates=S, note=RE, error=RE)
//	                             hocket.break.set; S are the places of the
//	                             candidates, "a.go:12 b.go:3"
//	pair(FILE, TEXT, line=N, if=S, order=S, timeout=S, kind=S, error=RE)
//	                             hocket.break.pair with the pending place
//	do(COMMAND, JSON, error=RE, answer=RE)
//	                             any command; $W in it is the workspace's URI
//	choose(FILE, TEXT, TITLE)    does a code action about breakpoints
//	marks(GOLDEN)                what the client knows of breakpoints, in words
//	wire(GOLDEN)                 the newest notification hocket/breakpoints
//	said(RE)                     a message was shown to the user
//	file(FILE, TEXT)             writes a whole file, as another process does
//	lacks(FILE)                  there is no such file on disk
//
// Expectations are waited for: what is published comes some time after what
// caused it, and diagnostics of an open document count only for its present
// version.
//
// With -update golden texts are written from what is seen.
package marker
