package main

// wrong is a repair that must be rejected: pairs of texts that are replaced, by file, in
// a program of bench/explain/programs.
type wrong struct {
	name    string
	program string // set/name
	file    string
	replace []string // old, new, old, new, ...
}

const (
	acquire = "	if q.available() < 1 {\n		return errFull\n	}\n	q.grant(owner, 1)\n	return nil\n"
	imports = "import (\n	\"errors\"\n"
)

// wrongs are repairs as people try them that do not take the bug away, or take away what
// the program is for.
var wrongs = []wrong{
	{"a comment", "seen/leasequota", "quota.go", []string{"	q.grant(owner, 1)\n", "	// one lease for owner\n	q.grant(owner, 1)\n"}},
	{"a sleep", "seen/leasequota", "quota.go", []string{acquire, "	time.Sleep(time.Millisecond)\n" + acquire, "	\"sync\"\n", "	\"sync\"\n	\"time\"\n"}},
	{"Gosched", "seen/leasequota", "quota.go", []string{acquire, "	runtime.Gosched()\n" + acquire, "	\"sync\"\n", "	\"runtime\"\n	\"sync\"\n"}},
	{"one processor", "seen/leasequota", "quota.go", []string{"	return &Quota{left", "	runtime.GOMAXPROCS(1)\n	return &Quota{left", "	\"sync\"\n", "	\"runtime\"\n	\"sync\"\n"}},
	{"a mutex of each call", "seen/leasequota", "quota.go", []string{acquire, "	var one sync.Mutex\n	one.Lock()\n	defer one.Unlock()\n" + acquire}},
	{"a lock at one side only", "seen/leasequota", "quota.go", []string{"	if q.available() < 1 {\n", "	q.mu.Lock()\n	left := q.left\n	q.mu.Unlock()\n	if left < 1 {\n"}},
	{"a stale copy", "seen/leasequota", "quota.go", []string{"	if q.available() < 1 {\n", "	left := q.left\n	if left < 1 {\n"}},
	{"looked at twice", "seen/leasequota", "quota.go", []string{acquire, "	if q.available() < 1 {\n		return errFull\n	}\n" + acquire}},
	{"the lock taken again by what is called", "seen/leasequota", "quota.go", []string{acquire, "	q.mu.Lock()\n	defer q.mu.Unlock()\n" + acquire}},
	{"a copied mutex", "seen/leasequota", "quota.go", []string{"func (q *Quota) available()", "func (q Quota) available()"}},
	{"the check gone", "seen/leasequota", "quota_test.go", []string{"t.Errorf(\"quota is %d\", n)", "t.Logf(\"quota is %d\", n)"}},
	{"the check weakened", "seen/leasequota", "quota_test.go", []string{"if n := q.Left(); n < 0 {", "if n := q.Left(); n < -1 {"}},
	{"a return before the check", "seen/leasequota", "quota_test.go", []string{"	wg.Wait()\n", "	wg.Wait()\n	if q.Left() <= 0 {\n		return\n	}\n"}},
	{"a skipped test", "seen/leasequota", "quota_test.go", []string{"	q := New(2)\n", "	t.Skip(\"flaky\")\n	q := New(2)\n"}},
	{"a swallowed panic", "seen/eventhub", "hub.go", []string{"	for _, s := range h.interested(m.topic) {\n", "	defer func() { _ = recover() }()\n	for _, s := range h.interested(m.topic) {\n"}},
	{"nothing closed", "seen/eventhub", "hub.go", []string{"	for _, s := range h.subs {\n		close(s.ch)\n	}\n", ""}},
	{"a removed go", "seen/probeall", "probe.go", []string{"		go probe(t, results)\n", "		probe(t, results)\n"}},
	{"a send with a time-out", "seen/probeall", "probe.go", []string{"	out <- result{t.Name, t.dial()}\n", "	select {\n	case out <- result{t.Name, t.dial()}:\n	case <-time.After(time.Second):\n	}\n", "	\"fmt\"\n", "	\"fmt\"\n	\"time\"\n"}},
	{"a channel without room", "seen/probeall", "probe.go", []string{"make(chan result)", "make(chan result, 0)"}},
	{"a message dropped when nobody is ready", "seen/spanbatch", "batch.go", []string{"	b.queue <- s\n", "	select {\n	case b.queue <- s:\n	default:\n	}\n"}},
	{"a message dropped", "seen/spanbatch", "batch.go", []string{"	b.queue <- s\n", ""}},
	{"the error under a lock, the last one still wins", "unseen/fetchall", "fetch.go", []string{"			p, err = get(url)\n", "			s.mu.Lock()\n			p, err = get(url)\n			s.mu.Unlock()\n"}},
	{"an error made up", "unseen/fetchall", "fetch.go", []string{"	return s.pages, err\n", "	if err == nil && len(s.pages) < len(urls) {\n		err = errNotFound\n	}\n	return s.pages, err\n"}},
	{"Add in a closure of the goroutine", "unseen/drainlate", "pool.go", []string{"	go p.work(j)\n", "	go func() {\n		p.running.Add(1)\n		defer p.running.Done()\n		p.work(j)\n	}()\n"}},
	{"waits by looking", "unseen/drainlate", "pool.go", []string{"	p.running.Wait()\n", "	for len(p.results) < 2 {\n	}\n	p.running.Wait()\n"}},
	{"a lock around the store only", "unseen/sessiontable", "table.go", []string{"		s = t.create(user)\n", "		t.mu.Lock()\n		s = t.create(user)\n		t.mu.Unlock()\n", "	serial   atomic.Int64\n", "	serial   atomic.Int64\n	mu       sync.Mutex\n"}},
	{"LoadOrStore, whose answer is not used", "unseen/sessiontable", "table.go", []string{"	t.sessions.Store(user, s)\n", "	t.sessions.LoadOrStore(user, s)\n"}},
	{"a Once of each call", "unseen/streamstop", "stream.go", []string{"	close(s.done)\n", "	var once sync.Once\n	once.Do(func() { close(s.done) })\n", "import \"errors\"\n", "import (\n	\"errors\"\n	\"sync\"\n)\n"}},
	{"a read lock where something is closed", "unseen/streamstop", "stream.go", []string{"	select {\n	case <-s.done:\n		return\n", "	s.mu.RLock()\n	defer s.mu.RUnlock()\n	select {\n	case <-s.done:\n		return\n", "	frames chan int\n", "	mu     sync.RWMutex\n	frames chan int\n", "import \"errors\"\n", "import (\n	\"errors\"\n	\"sync\"\n)\n"}},
	{"released twice", "seen/connpool", "pool.go", []string{"	if p.closed {\n		return ErrClosed\n	}\n	p.idle = append", "	defer p.mu.Unlock()\n	if p.closed {\n		return ErrClosed\n	}\n	p.idle = append"}},
	{"put back only if nobody is there", "seen/connpool", "pool.go", []string{"func (p *Pool) Put(c *conn) error {\n	p.mu.Lock()\n	if p.closed {\n", "func (p *Pool) Put(c *conn) error {\n	if !p.mu.TryLock() {\n		return nil\n	}\n	if p.closed {\n		p.mu.Unlock()\n"}},
	{"another name for the same map", "seen/labelmap", "registry.go", []string{"	return r.counts\n", "	counts := r.counts\n	return counts\n"}},
	{"the lock released while it waits", "seen/prioqueue", "queue.go", []string{"	q.more.Signal()\n", "	q.mu.Unlock()\n	q.more.Signal()\n	q.mu.Lock()\n"}},
	{"a result dropped when nobody is ready", "seen/probeall", "probe.go", []string{"	out <- result{t.Name, t.dial()}\n", "	select {\n	case out <- result{t.Name, t.dial()}:\n	default:\n	}\n"}},
	{"a move that is given up", "seen/treemove", "main.go", []string{"	dst.mu.Lock()\n	defer dst.mu.Unlock()\n", "	if !dst.mu.TryLock() {\n		return false\n	}\n	defer dst.mu.Unlock()\n"}},
	{"an early end", "seen/treemove", "main.go", []string{"	wg.Wait()\n", "	os.Exit(0)\n", "	\"fmt\"\n", "	\"fmt\"\n	\"os\"\n"}},
}
