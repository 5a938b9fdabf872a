package pollerhook

import "testing"

func TestPoller(t *testing.T) {
	queue := make(chan Event, 4)
	go func() {
		defer close(queue)
		for i, name := range []string{"add", "remove"} {
			queue <- Event{i, name}
		}
	}()
	var got []string
	p := Start(queue, func(e Event) { got = append(got, e.Name) })
	p.Wait()
	if len(got) != 2 {
		t.Errorf("events %q", got)
	}
}
