package engine

import (
	"context"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/internal/words"
)

// told are the settings of the go command that a bug report needs: those that
// change what is built, and none that holds a path or an address.
var told = []string{"GOVERSION", "GOOS", "GOARCH", "GOAMD64", "GOARM64", "GOEXPERIMENT", "CGO_ENABLED"}

// GoFacts returns the settings of the folder's Go ("" is the current one) that a
// bug report needs, each as NAME=value; those that are empty are left out.
func GoFacts(ctx context.Context, dir string) []string {
	cmd := exec.CommandContext(ctx, "go", append([]string{"env", "-json"}, told...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return []string{"go env does not run: " + words.OneLine(err.Error())}
	}
	values := map[string]string{}
	if err := json.Unmarshal(out, &values); err != nil {
		return []string{"go env can't be read: " + words.OneLine(err.Error())}
	}
	var facts []string
	for name, value := range values {
		if value = strings.TrimSpace(value); value != "" {
			facts = append(facts, name+"="+value)
		}
	}
	slices.Sort(facts)
	return facts
}
