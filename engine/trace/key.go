package trace

import (
	"strconv"
	"strings"
)

// Bits of the runtime's keys: hkNameG and hkTimerInit in engine/rt/overlay/runtime.
const (
	mainKey  = 0x9E3779B97F4A7C15
	keySalt  = 0x632be59bd9b4e019
	keyFires = 1 << 31
)

// KeyOfPath is Goroutine.Key of the goroutine with a Path: "0" is main, "0.2" its second
// child, "0.t2.1" what its second timer started first. It is not ok if the path does not
// tell the ancestry; the key is that of no goroutine then.
func KeyOfPath(path string) (key uint64, ok bool) {
	parts := strings.Split(path, ".")
	key, ok = child(mainKey, 0), parts[0] == "0"
	timer := false
	for _, part := range parts[1:] {
		digits, isTimer := strings.CutPrefix(part, "t")
		n, err := strconv.ParseUint(digits, 10, 31)
		ok = ok && err == nil && !(timer && isTimer)
		switch {
		case isTimer:
			key = mix(key ^ n<<32)
		case timer:
			key = child(key, keyFires|n)
		default:
			key = child(key, n)
		}
		timer = isTimer
	}
	if ok = ok && !timer; !ok {
		key = ^key
	}
	return key, ok
}

func child(parent, index uint64) uint64 { return mix(parent ^ mix(index+keySalt)) }

func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
