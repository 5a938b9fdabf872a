package analysis

// KindDoc says what a kind of pair means.
type KindDoc struct {
	Kind  Kind
	Title string
	Text  string // a paragraph
}

// KindDocs of all kinds of pairs, those first that are worst.
func KindDocs() []KindDoc {
	return []KindDoc{
		{Race, "two accesses that no lock keeps apart", `Two goroutines may reach the same memory at once, one of them writes, and no lock is held at both places. What is read then is undefined.`},
		{Atomicity, "an assumption that may be stale", `A goroutine looks at a value in one lock region, or by one atomic operation, and relies on it in a later one. Another goroutine may write in between. Both belong into one region.`},
		{Order, "torn down, or said to be ready, too early", `One goroutine sets a reference to nil, or says that something is ready, and nothing makes sure that the other one is done with it, or that it is really there.`},
		{Deadlock, "each may wait for what the other holds", `Two goroutines take locks in different orders, or one waits on a channel, a condition or a group while it holds a lock that the goroutine which would let it go on needs first.`},
		{Notify, "a signal that may be missed", `A condition is not tested again after Wait, or it is changed and signalled without the lock, or one Signal may wake a goroutine that waits for something else.`},
		{Channel, "a close or message at the wrong time", `A channel may be closed twice, or closed while another goroutine sends, or a select may take the end although a message is ready.`},
		{Contention, "two goroutines that take one lock", `Nothing is wrong by itself; which of the two is first may decide what happens.`},
	}
}
