package engine

import (
	"context"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/internal/words"
)

// reported lists the settings of the go command that a bug report needs: those
// that change what is built, and none that contains a path or an address.
var reported = []string{"GOVERSION", "GOOS", "GOARCH", "GOAMD64", "GOARM64", "GOEXPERIMENT", "CGO_ENABLED"}

// GoFacts returns the settings of the folder's Go ("" is the current one) that a
// bug report needs, each as NAME=value; those that are empty are left out.
func GoFacts(ctx context.Context, dir string) []string {
	cmd := exec.CommandContext(ctx, "go", append([]string{"env", "-json"}, reported...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return []string{"can't run go env: " + words.OneLine(err.Error())}
	}
	values := map[string]string{}
	if err := json.Unmarshal(out, &values); err != nil {
		return []string{"can't read go env: " + words.OneLine(err.Error())}
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
