//go:build !race

package breakpoints

func raceOff() {}
func raceOn()  {}
