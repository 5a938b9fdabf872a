package main

import (
	"os"

	"github.com/hocket-dev/hocket/engine/instrument"
)

func main() { os.Exit(instrument.RecordTool(os.Args[1:])) }
