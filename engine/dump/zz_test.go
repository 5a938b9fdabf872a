package dump

import (
	"fmt"
	"os"
	"testing"
)

func TestZZ(t *testing.T) {
	f, err := os.Open(os.Getenv("ZZ"))
	if err != nil {
		t.Skip()
	}
	ss, err := Read(f, "x")
	fmt.Println(err)
	for _, s := range ss {
		fmt.Printf("%s %q all=%v tests=%v cut=%q pkg=%s line=%d place=%v\n", s.Kind, s.Message, s.All, s.Tests, s.Cut, s.Package, s.Line, s.Place)
		for _, g := range s.Goroutines {
			fmt.Println("  ", g.ID, g.Count, g.Reason, g.Failing, User(g.Frames), g.Created, g.Elided, g.IsUser())
		}
		if s.Race != nil {
			for _, a := range s.Race.Accesses {
				fmt.Println("  ", a.Write, a.ID, User(a.Frames), a.Created)
			}
		}
	}
}
