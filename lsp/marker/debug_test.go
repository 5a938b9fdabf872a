package marker

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/lsptest"
)

// debug asks how to debug a finding: by an adapter that is this program, in
// the module's folder; without Delve, it is told how to get it.
func (s *session) debug(id string) error {
	raw, err := s.c.Request("workspace/executeCommand", lsptest.Object{"command": "hocket.debug", "arguments": []any{lsptest.Object{"id": id}}})
	if _, none := engine.Delve(); none != nil {
		if err == nil || !strings.Contains(err.Error(), engine.DelveInstall) {
			return fmt.Errorf("without Delve it answers %v", err)
		}
		return nil
	}
	if err != nil {
		return err
	}
	var got struct {
		ID      string
		Adapter struct {
			Command, Cwd string
			Args         []string
		}
		Configuration map[string]string
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		return err
	}
	a, c := got.Adapter, got.Configuration
	if got.ID != id || a.Command != "/none" || a.Cwd != s.root || !slices.Equal(a.Args, []string{"replay", "-debug=dap", id}) {
		return fmt.Errorf("the adapter is %+v", got)
	}
	if c["type"] != "hocket" || c["request"] != "launch" || c["id"] != id || c["cwd"] != s.root || c["name"] == "" {
		return fmt.Errorf("the configuration is %v", c)
	}
	return nil
}
