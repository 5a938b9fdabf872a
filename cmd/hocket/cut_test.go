package main

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"
)

// Who asks for an object gets one, also of what was cut short before it began.
func TestCutShortPrintsAnObject(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, args := range [][]string{{"replay", "-json", "abcdef12"}, {"break", "run", "-json", "."}, {"vet", "-json", "."}, {"find", "-json", "."}, {"find", "-json", "-budget", "1ns", "."}} {
		var out, errs bytes.Buffer
		if args[0] == "find" && len(args) > 3 {
			ctx = context.Background()
		}
		code := run(ctx, args, &out, &errs)
		var object map[string]any
		if err := json.Unmarshal(out.Bytes(), &object); err != nil || code != exitCut {
			t.Errorf("%v: code %d, %v: %q %q", args, code, err, &out, &errs)
		}
	}
}
