// A server and clients on the loopback.
package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
)

type server struct {
	mu   sync.Mutex
	hits map[string]int
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		http.Error(w, "no", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/")
	s.mu.Lock()
	s.hits[name]++
	n := s.hits[name]
	s.mu.Unlock()
	if n%1000 == 0 {
		fmt.Fprintln(w, "many")
		return
	}
	for i := range 5 {
		fmt.Fprintf(w, "hello %s %d\n", name, i)
	}
}

func main() {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	s := &server{hits: map[string]int{}}
	go http.Serve(ln, s)
	var wg sync.WaitGroup
	for c := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			cl := &http.Client{Transport: &http.Transport{}}
			for i := range 3000 {
				r, err := cl.Get(fmt.Sprintf("http://%s/x%d", ln.Addr(), (c+i)%7))
				if err != nil {
					panic(err)
				}
				io.Copy(io.Discard, r.Body)
				r.Body.Close()
			}
		}()
	}
	wg.Wait()
	fmt.Println(len(s.hits))
}
