package lsp_test

import (
	"os"
	"strings"
	"testing"
)

// TestRecord: runs of a test are recorded, of the text that the editor shows.
func TestRecord(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs")
	}
	root := threeTests(t)
	saved, err := os.ReadFile(root + "/till_test.go")
	if err != nil {
		t.Fatal(err)
	}
	text := string(saved)
	c := connect(t)
	defer c.Shutdown()
	type recorded struct {
		Message, Failed string
		Report          struct{ Targets []struct{ Runs, Failed int } }
	}
	c.Open(file(root), text)
	ans := answer[recorded](t, run(c, "hocket.record", object{"uri": file(root), "entry": "TestAdd", "runs": 3}))
	if ans.Failed != "" || !strings.Contains(ans.Message, "TestAdd: 3 runs recorded, 0 failed") || len(ans.Report.Targets) != 1 || ans.Report.Targets[0].Runs != 3 {
		t.Errorf("%+v", ans)
	}
	c.Close(file(root))
	c.Open(file(root), strings.Replace(text, `t.Errorf("%d coins, want 3", n)`, "\n\t\tt.Errorf(\"%d coins\", n)", 1)+
		"\nfunc TestAlways(t *testing.T) {\n\tdone := make(chan int)\n\tgo func() { done <- 1 }()\n\tt.Fatal(<-done)\n}\n")
	ans = answer[recorded](t, run(c, "hocket.record", object{"uri": file(root), "entry": "TestAlways", "runs": 5, "stop": true}))
	if ans.Failed == "" || !strings.Contains(ans.Message, "1 run recorded, 1 failed") || !strings.Contains(ans.Message, ans.Failed) {
		t.Errorf("%+v", ans)
	}
}
