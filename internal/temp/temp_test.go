package temp

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"
)

// Only the folders of processes that are gone are removed.
func TestSweep(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	zombie := exec.Command(os.Args[0], "-test.run=^$")
	out, err := zombie.StdoutPipe()
	if err == nil {
		err = zombie.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	io.ReadAll(out) // it has ended, or will at once
	for end := time.Now().Add(5 * time.Second); runtime.GOOS == "linux" && !Gone(zombie.Process.Pid); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a process that has ended counts as living")
		}
	}
	zombie.Wait()
	gone := strconv.Itoa(cmd.Process.Pid)
	base := t.TempDir()
	for _, name := range []string{
		"hocket-native-" + gone + "." + namespace() + "-123",
		"hocket-native-" + gone + ".1-124", // of another namespace
		"hocket-native-" + gone + "-125",   // of no known owner
		"other-native-" + gone + "." + namespace() + "-126",
	} {
		if err := os.MkdirAll(filepath.Join(base, name, "src"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	own, err := DirIn(base, "native") // the first one sweeps
	if err != nil {
		t.Fatal(err)
	}
	Sweep(base)
	left, err := os.ReadDir(base)
	if err != nil || len(left) != 4 {
		t.Errorf("left: %v, %v", left, err)
	}
	if _, err := os.Stat(own); err != nil {
		t.Error("the folder of a living process is gone")
	}
	if _, err := os.Stat(filepath.Join(base, "hocket-native-"+gone+"."+namespace()+"-123")); err == nil {
		t.Error("the folder of a process that is gone is still there")
	}
}
