package server

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/lsp/files"
)

// unsaved lists the Go files below root that the client has edited and not
// saved: what a search must take in place of what is on disk.
func unsaved(snap *files.Snapshot, root string) map[string]string {
	texts := map[string]string{}
	for f := range snap.All {
		if f.Path == "" || f.Broken || !strings.HasSuffix(f.Path, ".go") || !files.Below(f.Path, root) {
			continue
		}
		if disk, err := os.ReadFile(f.Path); err == nil && string(disk) == f.Text {
			continue
		}
		texts[f.Path] = f.Text
	}
	return texts
}

// writeOverlay writes texts for "hocket find -overlay FILE" into a folder of
// its own, which remove deletes. Without texts file is "".
func writeOverlay(texts map[string]string) (file string, remove func(), err error) {
	if len(texts) == 0 {
		return "", func() {}, nil
	}
	sweepOverlays()
	dir, err := os.MkdirTemp("", overlayPrefix)
	if err != nil {
		return "", nil, fmt.Errorf("write the unsaved text for the job: %w; free space in %s, or save the files", err, os.TempDir())
	}
	remove = func() { os.RemoveAll(dir) }
	var overlay struct{ Replace map[string]string }
	overlay.Replace = map[string]string{}
	for path, text := range texts {
		// The go command shows this name nowhere; its base must stay, for
		// _test.go and the like mean something.
		copied := filepath.Join(dir, fmt.Sprint(len(overlay.Replace)), filepath.Base(path))
		if err = os.Mkdir(filepath.Dir(copied), 0o700); err == nil {
			err = os.WriteFile(copied, []byte(text), 0o600)
		}
		if err != nil {
			break
		}
		overlay.Replace[path] = copied
	}
	file = filepath.Join(dir, "overlay.json")
	if err == nil {
		var data []byte
		if data, err = json.Marshal(overlay); err == nil {
			err = os.WriteFile(file, data, 0o600)
		}
	}
	if err != nil {
		remove()
		return "", nil, fmt.Errorf("write the unsaved text for the job: %w; save the files", err)
	}
	return file, remove, nil
}

const overlayPrefix = "hocket-unsaved-"

// sweepOverlays removes what servers that were killed left behind.
func sweepOverlays() {
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), overlayPrefix+"*"))
	for _, dir := range left {
		if st, err := os.Lstat(dir); err == nil && st.IsDir() && time.Since(st.ModTime()) > 24*time.Hour {
			os.RemoveAll(dir)
		}
	}
}
