package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError says what is wrong with a flag, as it is written with one dash, and what
// is right.
func flagError(cmd *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &value):
		f := value.GetFlag()
		return fmt.Errorf("-%s %s: is %s", f.Name, value.GetValue(), not(f))
	case errors.As(err, &unknown):
		return fmt.Errorf("unknown flag -%s; %s -help lists the flags", unknown.GetSpecifiedName(), cmd.CommandPath())
	case errors.As(err, &missing):
		f := missing.GetFlag()
		return fmt.Errorf("-%s needs a value, %s", f.Name, forms[f.Value.Type()])
	}
	return err
}

// forms of the values of flags, by their types.
var forms = map[string]string{
	"duration": "a duration such as 90s, 10ms or 1h30m",
	"int":      "a whole number",
	"uint64":   "a whole number, not negative",
	"string":   "a text",
}

func not(f *pflag.Flag) string {
	if f.Value.Type() == "bool" {
		return "neither true nor false"
	}
	if form := forms[f.Value.Type()]; form != "" {
		return "not " + form
	}
	return "no " + f.Value.Type()
}
