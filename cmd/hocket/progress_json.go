package main

import (
	"encoding/json"
	"io"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/hocket-dev/hocket/engine"
)

// jsonProgress writes updates for programs, one object per line. Changes of
// figures alone are written every objectEvery; the last state always is.
type jsonProgress struct {
	mu      sync.Mutex
	enc     *json.Encoder
	last    engine.Update
	written time.Time
	behind  bool // last is not written
}

const objectEvery = 150 * time.Millisecond

func newJSONProgress(w io.Writer) *jsonProgress {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return &jsonProgress{enc: enc}
}

func (p *jsonProgress) update(u engine.Update) {
	p.mu.Lock()
	defer p.mu.Unlock()
	news := u.Message != "" || u.Phase != p.last.Phase || u.Target != p.last.Target ||
		u.Done != p.last.Done || u.Findings != p.last.Findings
	p.last, p.behind = u, true
	if news || time.Since(p.written) >= objectEvery {
		p.write()
	}
}

func (p *jsonProgress) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.behind {
		p.write()
	}
}

// write leaves errors alone: progress that nobody reads is no reason to stop.
func (p *jsonProgress) write() {
	p.enc.Encode(p.last)
	p.written, p.behind = time.Now(), false
}

// printError writes the one line of an error: where the command was asked for
// objects as one of those, which readers of updates see as a last message.
func printError(w io.Writer, cmd *cobra.Command, text string) {
	if f := cmd.Flags().Lookup(progressFlag); f == nil || f.Value.String() != "json" {
		io.WriteString(w, "hocket: "+text+"\n")
		return
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.Encode(struct {
		Message string `json:"message"`
		Error   bool   `json:"error"`
		LeftMS  int    `json:"left_ms"`
	}{text, true, -1})
}
