package engine

import (
	"github.com/hocket-dev/hocket/engine/projection"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/target"
)

// Report, Flags and Finding are how callers name the façade's words without
// importing the packages below.
type (
	Report  = report.Report
	Finding = report.Finding
	Flags   = target.Flags
)

// Projection is the explanation of a finding; Row is a line of its table.
type (
	Projection = projection.Projection
	Row        = projection.Row
)
