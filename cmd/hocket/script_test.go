package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hocket-dev/hocket/engine"
)

func TestMain(m *testing.M) {
	engine.RecordTool(os.Args[1:]) // a go command starts this binary, by its own name
	if os.Getenv(asHocket) != "" {
		main()
	}
	testscript.Main(m, map[string]func(){"hocket": main})
}

// asHocket in the environment makes this test binary the hocket command.
const asHocket = "HOCKET_TEST_AS_HOCKET"

// TestScripts runs testdata/script/*.txtar. Besides testscript's commands:
//
//	code N hocket ARGS...  runs and asserts the exit code
//	oneline                the last stderr has one line besides progress
//	shape FILE             stdout is JSON with all the keys and types of FILE;
//	                       more are allowed, as the contract says
//	objects FILE           the same of stderr, where each line is an object
func TestScripts(t *testing.T) {
	goEnv := func(name string) string {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	cache, modCache := goEnv("GOCACHE"), goEnv("GOMODCACHE")
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			// Users' modules are built with the caches of whoever runs the
			// tests: compiling the standard library again takes minutes.
			e.Setenv("GOCACHE", cache)
			e.Setenv("GOMODCACHE", modCache)
			e.Setenv("GOPATH", e.WorkDir+"/gopath")
			e.Setenv("XDG_CACHE_HOME", e.WorkDir+"/cache")
			e.Setenv("GOFLAGS", "-buildvcs=false")
			// Holds the hocket command and no go command.
			dir, _, _ := strings.Cut(e.Getenv("PATH"), string(os.PathListSeparator))
			e.Setenv("HOCKETDIR", dir)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": code, "oneline": oneline, "shape": shape, "objects": objects,
			"runsfile": runsfile, "damage": damage, "cutfile": cutfile,
		},
		Condition: func(name string) (bool, error) {
			if name != "cores" {
				return false, fmt.Errorf("unknown condition %s", name)
			}
			return coresStay(), nil
		},
	})
}

// coresStay reports whether the kernel leaves cores in the working directory, as core.
func coresStay() bool {
	pattern, err := os.ReadFile("/proc/sys/kernel/core_pattern")
	usesPID, _ := os.ReadFile("/proc/sys/kernel/core_uses_pid")
	return err == nil && strings.TrimSpace(string(pattern)) == "core" && strings.TrimSpace(string(usesPID)) != "1"
}

func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command ...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var ee *exec.ExitError
		if !errors.As(err, &ee) {
			ts.Fatalf("%v", err)
		}
		got = ee.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func oneline(ts *testscript.TestScript, neg bool, args []string) {
	var lines []string
	for _, l := range strings.Split(ts.ReadFile("stderr"), "\n") {
		if l != "" && !strings.HasPrefix(l, "hocket: looking for targets") {
			lines = append(lines, l)
		}
	}
	if len(lines) != 1 || !strings.HasPrefix(lines[0], "hocket: ") {
		ts.Fatalf("%d lines on stderr, want one that starts with hocket:\n%s", len(lines), strings.Join(lines, "\n"))
	}
}

func shape(ts *testscript.TestScript, neg bool, args []string) {
	var v any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &v))
	set := map[string]bool{}
	describeJSON("", v, set)
	wants(ts, set, args[0])
}

func objects(ts *testscript.TestScript, neg bool, args []string) {
	set := map[string]bool{}
	for line := range strings.Lines(ts.ReadFile("stderr")) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			ts.Fatalf("the line %q of stderr is no object: %v", line, err)
		}
		describeJSON("", v, set)
	}
	wants(ts, set, args[0])
}

// wants fails the script unless all lines of a file are in the set.
func wants(ts *testscript.TestScript, set map[string]bool, file string) {
	for _, want := range strings.Split(strings.TrimSpace(ts.ReadFile(file)), "\n") {
		if !set[want] {
			ts.Fatalf("the JSON has no %q", want)
		}
	}
}

// describeJSON enters "path type" of each value; elements of an array count as
// one.
func describeJSON(path string, v any, set map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			describeJSON(path+"."+k, x, set)
		}
	case []any:
		set[path+" array"] = true
		for _, x := range v {
			describeJSON(path+"[]", x, set)
		}
	default:
		set[fmt.Sprintf("%s %T", path, v)] = true
	}
}
