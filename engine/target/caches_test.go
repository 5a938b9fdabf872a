package target

import (
	"strings"
	"testing"
)

func TestNoFolderForCaches(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	if err := (&Env{GoCache: "/c", ModCache: "/m"}).caches(); err != nil {
		t.Error(err)
	}
	err := (&Env{GoCache: "/c"}).caches()
	if err == nil || !strings.Contains(err.Error(), "each of GOMODCACHE, to a folder") {
		t.Error(err)
	}
}
