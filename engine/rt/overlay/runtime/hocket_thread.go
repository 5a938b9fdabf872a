//go:build hocket_overlay

package runtime

import "unsafe"

// hkThreadStat reads a thread's state ('R' runs, 'S' waits, ...) and the
// processor time that it has used outside the kernel, in hundredths of a
// second, from /proc. The state is 0 where there is no /proc.
func hkThreadStat(tid uint64) (state byte, used uint64) {
	var name [48]byte
	n := copy(name[:], "/proc/self/task/")
	digits := 1
	for x := tid; x >= 10; x /= 10 {
		digits++
	}
	for i := digits - 1; i >= 0; i-- {
		name[n+i] = byte('0' + tid%10)
		tid /= 10
	}
	copy(name[n+digits:], "/stat\x00")
	fd := open(&name[0], 0, 0)
	if fd < 0 {
		return 0, 0
	}
	var buf [512]byte
	got := int(read(fd, noescape(unsafe.Pointer(&buf[0])), int32(len(buf))))
	closefd(fd)
	return hkParseStat(buf[:max(got, 0)])
}

// hkParseStat takes fields 3 and 14 of the line; field 2 is a name in
// parentheses that may hold anything.
func hkParseStat(line []byte) (state byte, used uint64) {
	i := len(line) - 1
	for i >= 0 && line[i] != ')' {
		i--
	}
	if i < 0 || i+2 >= len(line) {
		return 0, 0
	}
	line = line[i+2:]
	state = line[0]
	field := 3
	for _, c := range line {
		switch {
		case c == ' ':
			field++
		case field == 14 && '0' <= c && c <= '9':
			used = used*10 + uint64(c-'0')
		}
	}
	return state, used
}

// hkMachineRuns is how many threads run or could run on the machine: the number
// before the slash of /proc/loadavg. It is 0 where there is none.
func hkMachineRuns() (n uint64) {
	const name = "/proc/loadavg\x00"
	fd := open(unsafe.StringData(name), 0, 0)
	if fd < 0 {
		return 0
	}
	var buf [64]byte
	got := int(read(fd, noescape(unsafe.Pointer(&buf[0])), int32(len(buf))))
	closefd(fd)
	for _, c := range buf[:max(got, 0)] {
		switch {
		case c == '/':
			return n
		case '0' <= c && c <= '9':
			n = n*10 + uint64(c-'0')
		default:
			n = 0
		}
	}
	return 0
}
