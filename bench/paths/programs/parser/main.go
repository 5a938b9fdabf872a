// Goroutines that parse JSON texts out of a channel and count what is in them.
package main

import (
	"fmt"
	"sync"
)

type parser struct {
	s  string
	at int
}

func (p *parser) space() {
	for p.at < len(p.s) && (p.s[p.at] == ' ' || p.s[p.at] == '\n') {
		p.at++
	}
}

func (p *parser) value() any {
	p.space()
	switch c := p.s[p.at]; {
	case c == '{':
		return p.object()
	case c == '[':
		return p.array()
	case c == '"':
		return p.text()
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	case c == 't':
		p.at += 4
		return true
	case c == 'f':
		p.at += 5
		return false
	}
	p.at += 4
	return nil
}

func (p *parser) object() map[string]any {
	m := map[string]any{}
	p.at++
	for {
		p.space()
		if p.s[p.at] == '}' {
			p.at++
			return m
		}
		if p.s[p.at] == ',' {
			p.at++
			p.space()
		}
		k := p.text()
		p.space()
		p.at++
		m[k] = p.value()
	}
}

func (p *parser) array() []any {
	var xs []any
	p.at++
	for {
		p.space()
		if p.s[p.at] == ']' {
			p.at++
			return xs
		}
		if p.s[p.at] == ',' {
			p.at++
		}
		xs = append(xs, p.value())
	}
}

func (p *parser) text() string {
	p.at++
	from := p.at
	for p.s[p.at] != '"' {
		if p.s[p.at] == '\\' {
			p.at++
		}
		p.at++
	}
	p.at++
	return p.s[from : p.at-1]
}

func (p *parser) number() float64 {
	n, neg := 0.0, false
	if p.s[p.at] == '-' {
		neg = true
		p.at++
	}
	for p.at < len(p.s) && p.s[p.at] >= '0' && p.s[p.at] <= '9' {
		n = n*10 + float64(p.s[p.at]-'0')
		p.at++
	}
	if neg {
		return -n
	}
	return n
}

func count(v any) int {
	switch v := v.(type) {
	case map[string]any:
		n := 1
		for _, x := range v {
			n += count(x)
		}
		return n
	case []any:
		n := 1
		for _, x := range v {
			n += count(x)
		}
		return n
	}
	return 1
}

func main() {
	texts := make(chan string, 16)
	var mu sync.Mutex
	total := 0
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for s := range texts {
				n := count((&parser{s: s}).value())
				mu.Lock()
				total += n
				mu.Unlock()
			}
		}()
	}
	for i := range 60_000 {
		texts <- fmt.Sprintf(`{"id": %d, "name": "item %d", "tags": ["a", "b\"c", "d%d"], "pos": {"x": -%d, "y": [1, 2, %d]}, "ok": true, "none": null}`, i, i, i%7, i, i*i)
	}
	close(texts)
	wg.Wait()
	fmt.Println(total)
}
