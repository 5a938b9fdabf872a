package main

import "reflect"

func channels() any {
	buffered, plain, done := make(chan int, 3), make(chan int), make(chan order)
	for range 2 {
		go func() {
			var o order
			for v := range buffered {
				o.note(v)
				plain <- v * 2
			}
			done <- o
		}()
	}
	go func() {
		var o order
		for v := range plain {
			o.note(v)
		}
		done <- o
	}()
	crowd(func(w int) {
		for i := range rounds {
			buffered <- w*1000 + i
		}
	})
	close(buffered)
	var all order
	all.note(<-done)
	all.note(<-done)
	close(plain)
	all.note(<-done)
	return all.h
}

func selects() any {
	a, b, quit := make(chan int), make(chan int, 2), make(chan bool)
	seen := make([]order, 3)
	ended := make(chan bool)
	for r := range seen {
		go func() {
			defer func() { ended <- true }()
			put := b // what one puts another gets: without an end they would go on by themselves
			for n := 0; ; {
				select {
				case v := <-a:
					seen[r].note("a", v)
				case v := <-b:
					seen[r].note("b", v)
				case put <- -1:
					seen[r].note("put")
					if n++; n == rounds {
						put = nil
					}
				case <-quit:
					return
				}
			}
		}()
	}
	crowd(func(w int) {
		for i := range rounds {
			select {
			case a <- w*1000 + i:
			case b <- w*1000 + i:
			}
		}
	})
	close(quit)
	for range seen {
		<-ended
	}
	var o order
	o.note(seen, len(b))
	return o.h
}

func defaults() any {
	c := make(chan int, 2)
	seen := make([]order, workers)
	crowd(func(w int) {
		for i := range rounds {
			select {
			case c <- w*1000 + i:
				seen[w].note("sent")
			default:
				seen[w].note("full")
			}
			select {
			case v := <-c:
				seen[w].note(v)
			default:
			}
			select {
			case v := <-c:
				seen[w].note(v)
			case c <- i:
			default:
				seen[w].note("none")
			}
		}
	})
	var o order
	o.note(seen)
	return o.h
}

func lengths() any {
	c := make(chan int, 5)
	seen := make([]order, workers)
	crowd(func(w int) {
		for i := range rounds {
			if len(c) < 3 {
				select {
				case c <- i:
				default:
				}
			} else {
				select {
				case <-c:
				default:
				}
			}
			seen[w].note(len(c))
		}
	})
	var o order
	o.note(seen)
	return o.h
}

func closes() any {
	var o order
	for i := range 30 {
		c, quit := make(chan int), make(chan bool)
		ended := make(chan int, workers)
		for range workers {
			go func() {
				n := 0
				for {
					select {
					case _, ok := <-c:
						if !ok {
							ended <- n
							return
						}
						n++
					case <-quit:
						ended <- -n
						return
					}
				}
			}()
		}
		go func() {
			for range 20 {
				select {
				case c <- 1:
				case <-quit:
					return
				}
			}
			close(c)
		}()
		if i%2 == 0 {
			close(quit)
		}
		for range workers {
			o.note(<-ended)
		}
	}
	return o.h
}

func reflects() any {
	a, b := make(chan int, 1), make(chan int)
	var o order
	done := make(chan bool)
	go func() {
		cases := []reflect.SelectCase{
			{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(a)},
			{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(b)},
		}
		for range workers * rounds {
			i, v, _ := reflect.Select(cases)
			o.note(i, v.Int())
		}
		done <- true
	}()
	crowd(func(w int) {
		for i := range rounds {
			if w%2 == 0 {
				a <- w*1000 + i
			} else {
				reflect.ValueOf(b).Send(reflect.ValueOf(w*1000 + i))
			}
		}
	})
	<-done
	return o.h
}
