package process

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// EndHolders kills the processes that hold the other end of a pipe whose read
// end is given, and returns their names, each once, nil if there are none. Call
// it when the process that was given the pipe has ended: what has left its
// group on purpose is found by this.
func EndHolders(pipe *os.File) []string {
	info, err := pipe.Stat()
	if err != nil {
		return nil
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	link := fmt.Sprintf("pipe:[%d]", st.Ino)
	own, _ := os.Readlink("/proc/self/exe")
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	var names []string
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		exe, unread := os.Readlink(dir + "/exe")
		// A process that is being started here has all files of this one for a
		// moment, and is still this program.
		if err != nil || unread != nil || pid == os.Getpid() || exe == own || !holds(dir, link) {
			continue
		}
		name, _ := os.ReadFile(dir + "/comm")
		if syscall.Kill(pid, syscall.SIGKILL) == nil {
			names = append(names, strings.TrimSpace(string(name)))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func holds(dir, link string) bool {
	files, _ := os.ReadDir(dir + "/fd")
	return slices.ContainsFunc(files, func(f os.DirEntry) bool {
		to, err := os.Readlink(dir + "/fd/" + f.Name())
		return err == nil && to == link
	})
}
