package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/tracedb"
)

// child adds runs one by one, or merges a file, until it is killed.
func child(path string) error {
	ctx := context.Background()
	db, err := tracedb.Open(ctx, path, tracedb.Options{Doing: "a child of bench/traces"})
	if err != nil {
		return err
	}
	if from := os.Getenv("TRACES_MERGE"); from != "" {
		if _, err := db.Merge(ctx, from); err != nil {
			return err
		}
		return db.Close()
	}
	rng := rand.New(rand.NewPCG(uint64(os.Getpid()), uint64(time.Now().UnixNano())))
	for i := 0; ; i++ {
		if _, err := db.Add(makeRun("order", i, rng)); err != nil {
			return err
		}
		os.Stdout.WriteString("+") // one write, before the next run
	}
}

// killed kills processes that add to a database at random moments. After each, the
// database must open and hold every run that was there or whose adding had ended,
// each as its ID says.
func killed(dir string, kills int) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	path, file := filepath.Join(dir, "db"), filepath.Join(dir, "runs")
	os.Remove(path)
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	have, lost, bad, done := 0, 0, 0, 0
	for i := range kills {
		merging := i%2 == 1
		if i%20 == 0 || have > 6000 { // a new file to merge; looking at all runs must not take too long
			if _, err := makeFile(file, "order", 2000, uint64(i)); err != nil {
				return err
			}
			if have > 6000 {
				os.Remove(path)
				have = 0
			}
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "TRACES_CHILD="+path)
		if merging {
			cmd.Env = append(cmd.Env, "TRACES_MERGE="+file)
		}
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, os.Stderr
		if err := cmd.Start(); err != nil {
			return err
		}
		time.Sleep(time.Duration(rng.Int64N(int64(400 * time.Millisecond))))
		_ = cmd.Process.Kill()
		if err := cmd.Wait(); err == nil {
			done++ // it had ended
		}
		got, wrong := look(path)
		if wrong != nil {
			bad++
			fmt.Printf("kill %d: %v\n", i+1, wrong)
			continue
		}
		if least := have + strings.Count(out.String(), "+"); got < least {
			lost += least - got
		}
		have = got
	}
	fmt.Printf("kills  %d, of which %d came after the end of the merge: %d databases that did not open or were wrong, %d runs lost of those that were in\n", kills, done, bad, lost)
	if bad+lost > 0 {
		return fmt.Errorf("kills did harm")
	}
	return nil
}

// look counts the runs, and checks each against its ID.
func look(path string) (int, error) {
	if _, err := os.Stat(path); os.IsNotExist(err) {
		return 0, nil // killed before it was made
	}
	db, err := tracedb.Open(context.Background(), path, tracedb.Options{Doing: "bench/traces"})
	if err != nil {
		return 0, err
	}
	defer db.Close()
	n := 0
	err = db.Each(context.Background(), tracedb.Filter{}, func(id tracedb.ID, r *tracedb.Run) error {
		n++
		if r.ID() != id {
			return fmt.Errorf("run %s is not as it was added", id)
		}
		return nil
	})
	return n, err
}
