//go:build points

package main

import "github.com/hocket-dev/hocket/breakpoints"

var race = breakpoints.Race("hot")

func point(side int, p *int64) { race.Here(side, p) }
