package main

// row is a line of the table: a program, where its breakpoint goes (by the
// marks in its comments), and what the paper's Table 1 has for it.
type row struct {
	program, bug string
	args         []string
	kind         string
	sides        []string
	cond         string
	order        []int
	timeout      string
	ignore, most int

	paperProb     string // probability over 100 runs
	paperOverhead string // percent of the run's time
}

var rows = []row{
	{program: "cache4j", bug: "race", args: []string{"race"}, kind: "race", sides: []string{"l1", "l2"}, order: []int{2, 1},
		paperProb: "1.00", paperOverhead: "4.9"},
	{program: "cache4j", bug: "atomicity", args: []string{"atomicity"}, kind: "atomicity", sides: []string{"l3", "l4"}, order: []int{2, 1},
		cond: "t1.c == t2.c && t1.key == 200 && t2.key == 200", paperProb: "1.00", paperOverhead: "3.0"},
	{program: "hedc", bug: "race1", kind: "race", sides: []string{"l1", "l2"}, order: []int{2, 1}, cond: "t1.t == t2.t",
		paperProb: "1.00", paperOverhead: "115.4"},
	{program: "log4j", bug: "deadlock", args: []string{"deadlock"}, kind: "deadlock", sides: []string{"l1", "l2"}, cond: "t1.msg.id < 0", timeout: "1s",
		paperProb: "1.00", paperOverhead: "9"},
	{program: "log4j", bug: "missed-notify", args: []string{"missed-notify"}, kind: "notify", sides: []string{"l3", "l4"}, order: []int{2, 1}, most: 1,
		paperProb: "1.00", paperOverhead: "-"},
	{program: "logging", bug: "deadlock", kind: "deadlock", sides: []string{"l1", "l2"}, cond: "t1.l == t2.l", paperProb: "1.00", paperOverhead: "0"},
	{program: "lucene", bug: "deadlock", kind: "deadlock", sides: []string{"l1", "l2"}, timeout: "1s", paperProb: "1.00", paperOverhead: "17"},
	{program: "moldyn", bug: "race", kind: "race", sides: []string{"l1", "l1"}, cond: "t1.s == t2.s", most: 1, paperProb: "1.00", paperOverhead: "9.7"},
	{program: "montecarlo", bug: "race", kind: "race", sides: []string{"l1", "l1"}, cond: "t1.d == t2.d", most: 1, paperProb: "1.00", paperOverhead: "17.4"},
	{program: "raytracer", bug: "race", kind: "race", sides: []string{"l1", "l1"}, cond: "t1.r.scene == t2.r.scene", paperProb: "1.00", paperOverhead: "16.1"},
	{program: "stringbuffer", bug: "atomicity", kind: "atomicity", sides: []string{"l1", "l2"}, order: []int{2, 1}, cond: "t1.other == t2.b",
		paperProb: "1.00", paperOverhead: "21"},
	{program: "swing", bug: "deadlock", kind: "deadlock", sides: []string{"l1", "l2"}, timeout: "1s", paperProb: "0.99", paperOverhead: "1230"},
	{program: "synclist", bug: "atomicity", args: []string{"atomicity"}, kind: "atomicity", sides: []string{"l1", "l2"}, order: []int{2, 1}, cond: "t1.other == t2.l",
		paperProb: "1.00", paperOverhead: "6"},
	{program: "synclist", bug: "deadlock", args: []string{"deadlock"}, kind: "deadlock", sides: []string{"l3", "l3"}, cond: "t1.l != t2.l",
		paperProb: "1.00", paperOverhead: "2"},
}
