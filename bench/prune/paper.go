package main

// dsp is a line of Tables II and III of Symbiosis: Machado, Quinta, Lucia and
// Rodrigues, "Concurrency debugging with differential schedule projections", ACM
// TOSEM 25(2), 2016, §5.3.1 and §5.3.3. Events and data flows are of Table II,
// switches and solver calls of Table III.
type dsp struct {
	paper, program  string
	pairs           int // reordered until an alternate schedule was found
	events, inDSP   int
	flows, flowsDSP int
	grok            int    // operations of the data flows that differ
	switches, after int    // context switches before and after their reduction
	calls           int    // of the solver, for the reduction
	took            string // the reduction
}

var symbiosis = []dsp{
	{"crasher", "crasher", 27, 287, 9, 107, 1, 3, 104, 34, 166, "19m33s"},
	{"sbuff", "stringbuf", 9, 73, 15, 28, 1, 3, 7, 4, 14, "2s"},
	{"bbuff", "bbuf", 3, 157, 19, 79, 1, 3, 35, 10, 40, "14s"},
	{"pfscan", "pfscan", 5, 93, 16, 32, 1, 3, 23, 9, 32, "9s"},
	{"pbz2 (S)", "pbzip2-s", 1, 206, 4, 29, 1, 3, 74, 14, 59, "14s"},
	{"pbz2 (M)", "pbzip2-m", 1, 397, 3, 82, 1, 3, 151, 22, 163, "4m58s"},
	{"pbz2 (L)", "pbzip2-l", 2, 1223, 168, 264, 2, 5, 292, 36, 353, "5h11m"},
	{"airline", "airline", 1, 58, 6, 25, 2, 6, 28, 8, 33, "5s"},
	{"bank", "account", 181, 124, 31, 72, 2, 5, 6, 4, 9, "6s"},
	{"2stage", "twostage", 14, 60, 3, 27, 1, 3, 16, 4, 15, "2s"},
	{"c4j (S)", "cache4j-s", 1, 39, 12, 11, 2, 6, 4, 4, 2, "<1s"},
	{"c4j (M)", "cache4j-m", 1, 1257, 10, 552, 1, 3, 21, 7, 25, "6m50s"},
	{"c4j (L)", "cache4j-l", 1, 1422, 5, 628, 1, 3, 29, 7, 29, "16m19s"},
}

// dpsp is a line of Table 4 of Cortex: Machado, Lucia and Rodrigues, "Production-guided
// concurrency debugging", PPoPP 2016, §6.4. Tries are of Table 2, 0 for bugs that
// depend on the schedule only.
type dpsp struct {
	paper, program   string
	flows, flowsDPSP int
	events, inDPSP   int
	tries            int
}

var cortex = []dpsp{
	{"Account*", "account", 139, 6, 244, 58, 0},
	{"Critical", "critical", 13, 7, 36, 13, 6},
	{"ExMCR", "exmcr", 16, 8, 56, 39, 6},
	{"PingPong*", "pingpong", 16, 1, 66, 5, 0},
	{"Piper", "piper", 57, 2, 182, 51, 1},
	{"Airline*", "airline", 29, 3, 77, 18, 0},
	{"Garage", "garage", 139, 26, 284, 235, 9},
	{"BubbleSort", "bubblesort", 69, 15, 161, 144, 4},
	{"Manager", "manager", 142, 32, 331, 220, 1},
	{"Loader", "loader", 179, 21, 386, 281, 11},
	{"StringBuf*", "stringbuf", 115, 1, 331, 40, 0},
	{"TicketOrder", "ticketorder", 183, 45, 354, 290, 1},
	{"BufWriter*", "bufwriter", 745, 95, 1245, 1216, 0},
	{"Pool", "pool", 73, 34, 198, 123, 17},
	{"Cache4j (S)*", "cache4j-s", 211, 1, 541, 11, 0},
	{"Cache4j (M)*", "cache4j-m", 862, 3, 2364, 1371, 0},
	{"Cache4j (L)*", "cache4j-l", 1139, 3, 3105, 1094, 0},
}
