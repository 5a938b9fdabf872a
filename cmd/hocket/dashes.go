package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// doubleDashes lets people write -run and -json as they do for the go command:
// cobra's long flags want two dashes. What follows "--" and the values of
// flags stay as they are.
func doubleDashes(root *cobra.Command, args []string) []string {
	takesValue := map[string]bool{}
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) { takesValue[f.Name] = f.NoOptDefVal == "" && f.Value.Type() != "bool" })
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(root)

	out := make([]string, 0, len(args))
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return append(out, args[i:]...)
		}
		name := strings.TrimLeft(arg, "-")
		dashes := len(arg) - len(name)
		if dashes == 0 || dashes > 2 || name == "" {
			out = append(out, arg)
			continue
		}
		if name == "h" {
			name = "help"
		}
		out = append(out, "--"+name)
		if takesValue[name] && i+1 < len(args) {
			i++
			out = append(out, args[i])
		}
	}
	return out
}
