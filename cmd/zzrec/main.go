package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/record"
)

// zzrec dump LOG; zzrec rec DIR BIN args; zzrec follow LOG N BIN args
func main() {
	switch os.Args[1] {
	case "dump":
		r, err := record.ReadLog(os.Args[2])
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(r.Go, r.Args, r.Took, "seed", r.Seed, "threads", len(r.Threads), "ops", r.Ops(), "recs", r.Records(), "bytes", r.LogBytes, r.Order(), r.Torn)
		kinds := map[string]int{}
		for _, t := range r.Threads {
			for _, x := range t.Records {
				k := x.Kind.String()
				if x.From < 0 {
					k += "!"
				}
				kinds[k]++
			}
		}
		fmt.Println(kinds)
		if len(os.Args) > 3 {
			for _, t := range r.Threads {
				fmt.Println(t.Name, t.Ops, t.Func)
				for i, x := range t.Records {
					if i < 20 {
						fmt.Println("   ", x)
					}
				}
			}
		}
	case "rec":
		os.MkdirAll(os.Args[2], 0o777)
		cmd := exec.Command(os.Args[3], os.Args[4:]...)
		cmd.Env = append(os.Environ(), "HOCKET_RECORD="+os.Args[2])
		out, err := cmd.CombinedOutput()
		fmt.Printf("%s%v\n", tail(string(out)), err)
		ls, _ := filepath.Glob(os.Args[2] + "/*.hklog")
		for _, l := range ls {
			r, err := record.ReadLog(l)
			if err != nil {
				fmt.Println(err)
				continue
			}
			fmt.Println(l, "threads", len(r.Threads), "ops", r.Ops(), "recs", r.Records(), "bytes", r.LogBytes)
		}
	case "follow":
		r, err := record.ReadLog(os.Args[2])
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		n, _ := strconv.Atoi(os.Args[3])
		outs := map[string]int{}
		full := 0
		for i := 0; i < n; i++ {
			plan := os.Args[2] + ".plan"
			if err := r.WritePlan(plan, 3*time.Second); err != nil {
				fmt.Println(err)
			}
			cmd := exec.Command(os.Args[4], os.Args[5:]...)
			cmd.Env = append(os.Environ(), "HOCKET_FOLLOW="+plan)
			t0 := time.Now()
			time.AfterFunc(60*time.Second, func() { if cmd.ProcessState == nil { cmd.Process.Kill() } })
			out, err := cmd.CombinedOutput()
			f, ferr := r.ReadFollowed(plan)
			s := "complete"
			if ferr != nil {
				s = ferr.Error()
			} else if !f.Complete {
				s = fmt.Sprintf("done %d of %d lost %+v", f.Done, f.Of, f.Lost)
				if f.Lost != nil {
					var pcs []string
					for _, pc := range f.Lost.Stack {
						pcs = append(pcs, fmt.Sprintf("0x%x", pc+0x401000))
					}
					a := exec.Command("go", "tool", "addr2line", os.Args[4])
					a.Stdin = strings.NewReader(strings.Join(pcs, "\n") + "\n")
					o, _ := a.CombinedOutput()
					s += "\n" + string(o)
				}
			} else {
				full++
			}
			outs[tail(string(out))+fmt.Sprint(err)]++
			if s != "complete" || i == 0 {
				fmt.Println(i, time.Since(t0).Round(time.Millisecond), s)
			}
		}
		fmt.Println("followed", full, "of", n)
		for o, k := range outs {
			fmt.Printf("%d x %s\n", k, o)
		}
	}
}

func tail(s string) string {
	if len(s) > 600 {
		return s[:200] + "..." + s[len(s)-400:]
	}
	return s
}
