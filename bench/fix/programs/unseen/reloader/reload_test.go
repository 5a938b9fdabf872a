package reloader

import (
	"errors"
	"sync"
	"testing"
)

func TestAttachWhilePublished(t *testing.T) {
	b := &Bus{}
	var level string
	var wg sync.WaitGroup
	wg.Go(func() { b.Publish(Settings{"log.level": "debug"}) })
	r := Attach(b, "logger", func(key, value string) error {
		if key != "log.level" {
			return errors.New("unknown")
		}
		level = value
		return nil
	})
	wg.Wait()
	if told := b.Publish(Settings{"log.level": "warn"}); told != 1 {
		t.Errorf("%d subscribers", told)
	}
	if told := b.Publish(Settings{"log.colour": "red"}); told != 1 {
		t.Errorf("%d subscribers", told)
	}
	n, failed := r.Applied()
	if level != "warn" || n < 1 || n > 3 || len(failed) != 1 {
		t.Errorf("level %q, %d applied, failed %v", level, n, failed)
	}
}
