package trace

import (
	"strconv"
	"strings"
)

// KeyOfPath is Goroutine.Key of the goroutine with a Path (hkNameG and hkTimerInit in
// engine/rt/overlay/runtime).
func KeyOfPath(path string) uint64 {
	const salt = 0x632be59bd9b4e019
	key, fires := mix(0x9E3779B97F4A7C15^mix(salt)), false
	for _, part := range strings.Split(path, ".")[1:] {
		timer, isTimer := strings.CutPrefix(part, "t")
		index, _ := strconv.ParseUint(timer, 10, 32)
		switch {
		case isTimer:
			key = mix(key ^ index<<32)
		case fires:
			key = mix(key ^ mix((1<<31|index)+salt))
		default:
			key = mix(key ^ mix(index+salt))
		}
		fires = isTimer
	}
	return key
}

func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
