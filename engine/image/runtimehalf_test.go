package image

import (
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/hocket-dev/hocket/engine/rt"
)

// The runtime half reads the words and kinds that this package writes.
func TestSymbolWordsEqualRuntimeHalf(t *testing.T) {
	src, err := os.ReadFile("../rt/overlay/runtime/hocket_symbols.go")
	if err != nil {
		t.Fatal(err)
	}
	theirs := map[string]int{}
	for _, m := range regexp.MustCompile(`(?m)^\t(hkSym\w+)\s+= (\d+)`).FindAllStringSubmatch(string(src), -1) {
		theirs[m[1]], _ = strconv.Atoi(m[2])
	}
	for name, n := range map[string]int{
		"hkSymWWatchOff": rt.WWatchOff, "hkSymWWatchCap": rt.WWatchCap, "hkSymWWatchLen": rt.WWatchLen,
		"hkSymWTextOff": rt.WTextOff, "hkSymWTextCap": rt.WTextCap, "hkSymWTextLen": rt.WTextLen,
		"hkSymKindPC": kindPC, "hkSymKindType": kindType, "hkSymKindEntry": kindEntry, "hkSymKindReason": kindReason,
	} {
		if got, ok := theirs[name]; !ok || got != n {
			t.Errorf("%s = %d in hocket_symbols.go, want %d", name, got, n)
		}
	}
}
