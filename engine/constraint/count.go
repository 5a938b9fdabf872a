package constraint

// counter is a sum over the events of an object that come before a point: the
// state of a lock, a wait group or a channel as far as it is a number.
type counter uint8

const (
	countWriters counter = iota // holders of a lock that exclude all
	countReaders                // holders that exclude writers
	countHolders                // both
	countGroup                  // the counter of a WaitGroup
	countItems                  // what is in a channel
)

// weightOf is what ev adds to the counter of its object.
func weightOf(ev *Event, c counter) int64 {
	switch ev.Op {
	case Lock:
		return when(c == countWriters || c == countHolders, 1)
	case TryLock:
		return when(ev.Outcome == 1 && (c == countWriters || c == countHolders), 1)
	case Unlock:
		return when(c == countWriters || c == countHolders, -1)
	case RLock:
		return when(c == countReaders || c == countHolders, 1)
	case TryRLock:
		return when(ev.Outcome == 1 && (c == countReaders || c == countHolders), 1)
	case RUnlock:
		return when(c == countReaders || c == countHolders, -1)
	case Add:
		return when(c == countGroup, ev.Delta)
	case Send:
		return when(c == countItems, 1)
	case Recv:
		return when(c == countItems && ev.Outcome == Received, -1)
	}
	return 0
}

func when(ok bool, w int64) int64 {
	if ok {
		return w
	}
	return 0
}
